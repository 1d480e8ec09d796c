/** Checks the command of a unit: refuses flags that would end the service at once, or can't work where it runs. */
import type { GlobalFlags, Run } from '../../cli/command.js';
import { requireCheckpointName } from '../../events/checkpoint.js';
import { type UnitOrder, type UnitSecret, unitName, unitText } from '../../events/service/unit.js';
import { readFeedFlags, type FeedFlags, intoOf, programOf } from './feed-orders.js';
import { timeoutOf } from '../../cli/line/moment.js';
import { readAddress } from '../../profile/target.js';
import { Failure } from '../../runtime/failure.js';
import { readDestination } from '../../webhook/destination.js';

interface UnitRun extends Run<GlobalFlags & { readonly program?: string | undefined }> {
  readonly args: { readonly what: string; readonly name: string };
  /** The flags of the service. */
  readonly words: readonly string[];
}

/** Prints the unit. @throws Failure `usage` */
export async function printUnit(run: UnitRun): Promise<void> {
  await run.ports.output.write(unitText(await readUnit(run)));
}

/** @throws Failure `usage` */
async function readUnit(run: UnitRun): Promise<UnitOrder> {
  const { words } = run;
  const { what, name } = run.args;
  const { program = '/usr/bin/svc' } = run.flags;
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

/** All that either command takes. */
type ServiceFlags = FeedFlags & {
  readonly to?: string;
  readonly exec?: string;
  readonly into?: string;
  readonly create?: boolean;
  readonly 'allow-remote'?: boolean;
  readonly 'print-secret'?: boolean;
};

type Served = 'forward' | 'tail';

/** @throws Failure `usage`, or what the service itself would end with at once */
async function requireFit(run: Run, what: Served, name: string, flags: ServiceFlags): Promise<void> {
  const { health } = readFeedFlags(flags);
  programOf(flags);
  timeoutOf(flags);
  const why = unfit(what, flags, unitName(name));
  if (why !== null) throw unitRefused(why);
  if (health !== null && health.port > 0 && health.port < 1024)
    throw unitRefused('ports below 1024 are for root, and the service is not: give --health another');
  readAddress(flags['base-url'] ?? '', '--base-url');
  // Which address a name has is known there.
  if (flags.to !== undefined) await readDestination(flags.to, flags['allow-remote'] === true, noAddress);
  if (flags.into !== undefined) judgeInto(run, flags);
}

const noAddress = (): Promise<readonly string[]> => Promise.resolve([]);

/** Why it would not work there; null where it would. */
function unfit(what: Served, flags: ServiceFlags, unit: string): string | null {
  if (flags['print-secret'] === true) return '--print-secret ends at once: a service goes on';
  if (flags['no-follow']) return '--no-follow ends at the end of the feed: a service goes on';
  if (flags.profile !== undefined)
    return 'the service runs as another user, who has no profile: add --base-url after "--" in place of --profile, and its key as the unit says';
  if (flags['base-url'] === undefined) return 'add --base-url after "--"';
  if (what === 'forward' && flags.to === undefined) return 'add --to URL, the receiver, after "--"';
  if (what === 'tail' && flags.exec === undefined && flags.into === undefined)
    return 'nobody reads the output of a service: add --exec or --into after "--"';
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

/** In a sentence, as everywhere. */
function unitRefused(why: string): Failure {
  const text = why.replace(/^[a-z]/, (first) => first.toUpperCase());
  return new Failure('usage', `${text}. Nothing was sent.`);
}
