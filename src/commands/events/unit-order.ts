/** What a unit shall run, judged: flags that would end the service at once, or can't work where it runs, are refused here. */
import type { Run } from '../../cli/command.js';
import { requireCheckpointName } from '../../events/checkpoint.js';
import type { UnitOrder, UnitSecret } from '../../events/service/unit.js';
import { readFeedFlags } from './feed-flags.js';
import { requireFit, type ServiceFlags, unitRefused } from './unit-fitness.js';

export interface UnitTyped {
  readonly what: string;
  readonly name: string;
  readonly program: string;
  /** Behind "--". */
  readonly words: readonly string[];
}

/** What stands before "--" is for svc, what stands after it is for the service. */
export function splitWords(argv: readonly string[]): { own: string[]; words: readonly string[] } {
  const at = argv.indexOf('--');
  return at === -1 ? { own: [...argv], words: [] } : { own: argv.slice(0, at), words: argv.slice(at + 1) };
}

/** @throws Failure `usage` */
export async function readUnit(run: Run, { what, name, program, words }: UnitTyped): Promise<UnitOrder> {
  // As those that say where it goes, which the command heeds none of, it would be overlooked before "--".
  if (run.flags.timeout !== undefined)
    throw unitRefused('add --timeout after "--": it is a flag of the service');
  requireCheckpointName(name);
  if (!/^(\/[A-Za-z0-9._+-]+)+$/.test(program))
    throw unitRefused('--program is the whole path of svc, in plain characters');
  const id = `events ${what}`;
  const command = (await run.entries()).find(([other]) => other === id)?.[1];
  if (command === undefined || (what !== 'forward' && what !== 'tail'))
    throw unitRefused('a unit runs "forward" or "tail"');
  const flags = (await command.read(id, words, run)) as ServiceFlags;
  const { maxLagMs } = readFeedFlags(flags);
  await requireFit(run, what, name, flags);
  // Tables keep the place themselves.
  const isNamed = flags.checkpoint !== undefined || flags.into !== undefined;
  const checkpoint = isNamed ? [] : ['--checkpoint', name];
  return {
    ...{ what, name, program, words: [...words, ...checkpoint], secrets: secretsOf(flags) },
    watchdogSeconds: Math.ceil(Math.max(WATCHDOG_MIN_MS, 2 * maxLagMs) / 1000),
  };
}

/** A service that asks to be left alone for a minute is no forwarder that is stuck. */
const WATCHDOG_MIN_MS = 120_000;

/** What the flags need beside the key. */
function secretsOf(flags: ServiceFlags): UnitSecret[] {
  const isShared = flags['state-url'] !== undefined && flags['state-url'] !== 'local';
  const secrets: readonly (readonly [boolean, UnitSecret])[] = [
    [isShared, secret('state-password', 'SVC_STATE_PASSWORD_FILE', 'the password of the shared state')],
    [
      /^postgres(ql)?:/i.test(flags.into ?? ''),
      secret('into-password', 'SVC_INTO_PASSWORD_FILE', 'the password of the database'),
    ],
    [isShared && flags.live, secret('state-key', 'SVC_STATE_KEY_FILE', 'the key of the shared state')],
  ];
  return secrets.flatMap(([isNeeded, one]) => (isNeeded ? [one] : []));
}

function secret(credential: string, variable: string, about: string): UnitSecret {
  return { credential, variable, about };
}
