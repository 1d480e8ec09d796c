/** The flags of a command line that say where it goes, as words for what is to be typed next. Pure. */
import type * as Interfaces from '@oclif/core/interfaces';
import type { Environment } from '../../contract/access.js';
import { flagWords } from '../../runtime/shell.js';
import type { globalFlags } from './flags.js';

/** The flags that decide where a request goes, and that a next command must repeat. */
export type Where = Partial<
  Pick<
    Interfaces.InferredFlags<typeof globalFlags>,
    'profile' | 'live' | 'sandbox' | 'base-url' | 'insecure-loopback' | 'ca-file' | 'state-url'
  >
>;

/** Those flags as words of a command line. */
export function whereFlags(where: Where): string[] {
  const values = (['profile', 'base-url', 'ca-file', 'state-url'] as const).flatMap((name) => {
    const value = where[name];
    return value === undefined ? [] : flagWords(`--${name}`, value);
  });
  const switches = (['live', 'sandbox', 'insecure-loopback'] as const).filter((name) => where[name] === true);
  return [...values, ...switches.map((name) => `--${name}`)];
}

/** The environment that a command line goes to: by its flag, else by `SVC_ENV`. */
export function askedEnvironment({
  flags,
  ports,
}: {
  readonly flags: Where;
  readonly ports: { readonly env: Readonly<Record<string, string | undefined>> };
}): Environment {
  if (flags.live === true) return 'live';
  return flags.sandbox !== true && ports.env['SVC_ENV'] === 'live' ? 'live' : 'sandbox';
}

/**
 * Those flags for what belongs to that environment, where the command may have named none.
 * @param isLiveElse without a flag, commands here go live: `SVC_ENV`
 */
export function whereIn(environment: Environment, where: Where, isLiveElse: boolean): Where {
  const isLive = environment === 'live';
  return { ...where, live: isLive, sandbox: !isLive && (where.sandbox === true || isLiveElse) };
}

/** The same for what went to that environment, whichever this command goes to. */
export function whereFlagsIn(environment: Environment, where: Where): string[] {
  return [...whereFlags({ ...where, live: false, sandbox: false }), `--${environment}`];
}
