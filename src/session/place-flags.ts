import type { Environment } from '../contract/access.js';
import { flagWords } from '../runtime/shell.js';

export interface Where {
  readonly profile?: string | undefined;
  readonly live?: boolean;
  readonly sandbox?: boolean;
  readonly 'base-url'?: string | undefined;
  readonly 'insecure-loopback'?: boolean;
  readonly 'ca-file'?: string | undefined;
  readonly 'state-url'?: string | undefined;
}

export function whereFlags(where: Where): string[] {
  const values = (['profile', 'base-url', 'ca-file', 'state-url'] as const).flatMap((name) => {
    const value = where[name];
    return value === undefined ? [] : flagWords(`--${name}`, value);
  });
  const switches = (['live', 'sandbox', 'insecure-loopback'] as const).filter((name) => where[name] === true);
  return [...values, ...switches.map((name) => `--${name}`)];
}

export function askedEnvironment(run: {
  readonly flags: Where;
  readonly ports: { readonly env: Readonly<Record<string, string | undefined>> };
}): Environment {
  const { flags, ports } = run;
  if (flags.live === true) return 'live';
  return flags.sandbox !== true && ports.env['SVC_ENV'] === 'live' ? 'live' : 'sandbox';
}

export function whereIn(environment: Environment, where: Where, isLiveByDefault: boolean): Where {
  const isLive = environment === 'live';
  return { ...where, live: isLive, sandbox: !isLive && (where.sandbox === true || isLiveByDefault) };
}

export function whereFlagsIn(environment: Environment, where: Where): string[] {
  return [...whereFlags({ ...where, live: false, sandbox: false }), `--${environment}`];
}
