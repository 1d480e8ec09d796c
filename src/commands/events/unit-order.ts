/** What a unit shall run, judged: flags that would end the service at once, or can't work where it runs, are refused here. */
import { requireCheckpointName } from '../../events/checkpoint.js';
import { type UnitOrder, type UnitSecret, unitName } from '../../events/service/unit.js';
import { Failure } from '../../runtime/failure.js';
import type { GlobalFlags, Run } from '../../cli/command.js';
import { type FeedFlags, readFeedFlags } from './feed-flags.js';
import { intoOf } from './into-flags.js';

/** All that either command takes. */
type ServiceFlags = FeedFlags & {
  readonly to?: string;
  readonly exec?: string;
  readonly into?: string;
  readonly create?: boolean;
  readonly 'print-secret'?: boolean;
};

export interface UnitTyped {
  readonly what: string;
  readonly name: string;
  readonly program: string;
  /** Behind "--". */
  readonly words: readonly string[];
}

/** What stands before "--" is for svc, what stands behind it is for the service. */
export function splitWords(argv: readonly string[]): { own: string[]; words: readonly string[] } {
  const at = argv.indexOf('--');
  return at === -1 ? { own: [...argv], words: [] } : { own: argv.slice(0, at), words: argv.slice(at + 1) };
}

/** @throws Failure `usage` */
export async function readUnit(run: Run, { what, name, program, words }: UnitTyped): Promise<UnitOrder> {
  refuseOwn(run.flags);
  requireCheckpointName(name);
  if (!/^(\/[A-Za-z0-9._+-]+)+$/.test(program))
    throw refused('--program is the whole path of svc, in plain characters');
  const id = `events ${what}`;
  const command = (await run.entries()).find(([other]) => other === id)?.[1];
  if (command === undefined || (what !== 'forward' && what !== 'tail'))
    throw refused('a unit runs "forward" or "tail"');
  const flags = (await command.read(id, words, run)) as ServiceFlags;
  const { maxLagMs } = readFeedFlags(flags);
  const why = unfit(what, flags, unitName(name));
  if (why !== null) throw refused(why);
  if (flags.into !== undefined) judgeInto(run, flags);
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

const PLACE = [
  'profile',
  'live',
  'sandbox',
  'base-url',
  'insecure-loopback',
  'ca-file',
  'state-url',
  'timeout',
] as const;

/** What says where a service goes would be overlooked before "--". */
function refuseOwn(flags: GlobalFlags): void {
  const own = PLACE.find((name) => flags[name] !== undefined && flags[name] !== false);
  if (own !== undefined) throw refused(`--${own} is the service's: it stands behind "--"`);
}

/** Why it would not work there; null where it would. */
function unfit(what: 'forward' | 'tail', flags: ServiceFlags, unit: string): string | null {
  if (flags['print-secret'] === true) return '--print-secret ends at once: a service goes on';
  if (flags['no-follow']) return '--no-follow ends at the end of the feed: a service goes on';
  if (flags.profile !== undefined)
    return '--profile is kept for you, and the service is another user: give --base-url, and its key as the unit says';
  if (flags['base-url'] === undefined) return 'the service has no profile: give --base-url behind "--"';
  if (what === 'forward' && flags.to === undefined) return 'name the receiver with --to URL behind "--"';
  if (what === 'tail' && flags.exec === undefined && flags.into === undefined)
    return 'nobody reads the output of a service: give --exec or --into behind "--"';
  const hidden = hiddenIn({ '--exec': flags.exec?.trim().split(/\s/)[0], '--ca-file': flags['ca-file'] });
  if (hidden !== null) return hidden;
  const file = /^sqlite:(.*)$/s.exec(flags.into ?? '')?.[1];
  if (file !== undefined && !file.startsWith(`/var/lib/${unit}/`))
    return `the service writes below /var/lib/${unit} alone: give --into sqlite:/var/lib/${unit}/feed/events.db`;
  return null;
}

/** The variables and certificates of this machine are not those of the service. @throws Failure `usage`, `unsafe` */
function judgeInto(run: Run, flags: ServiceFlags): void {
  const there = { ...flags, create: flags.create ?? false, 'ca-file': undefined };
  intoOf({ ...run, ports: { ...run.ports, env: {} }, flags: there });
}

/** Its folder is another one, and homes are hidden from it. */
function hiddenIn(paths: Readonly<Record<string, string | undefined>>): string | null {
  for (const [flag, path] of Object.entries(paths)) {
    if (path === undefined) continue;
    const isRelative = flag === '--ca-file' ? !path.startsWith('/') : /^[^/]+\//.test(path);
    if (isRelative)
      return `${flag} names ${path}, and the service is in a folder of its own: give the whole path`;
    if (/^\/(home|root|run\/user|tmp|var\/tmp)\//.test(path))
      return `${flag} names ${path}, which is hidden from the service: put it elsewhere, such as /usr/local`;
  }
  return null;
}

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

function refused(why: string): Failure {
  const text = why.replace(/^[a-z]/, (first) => first.toUpperCase());
  return new Failure('usage', `${text}. Nothing was sent.`);
}
