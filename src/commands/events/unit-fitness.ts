/** Whether flags of a follower can work in a service of systemd: another user, in a folder of its own, with no home and no profile. */
import { timeoutOf } from '../../cli/line/duration.js';
import type { Run } from '../../cli/command.js';
import { unitName } from '../../events/service/unit.js';
import { readAddress } from '../../profile/address.js';
import { Failure } from '../../runtime/failure.js';
import { readDestination } from '../../webhook/destination.js';
import { type FeedFlags, readFeedFlags } from './feed-flags.js';
import { intoOf } from './into-flags.js';

/** All that either command takes. */
export type ServiceFlags = FeedFlags & {
  readonly to?: string;
  readonly exec?: string;
  readonly into?: string;
  readonly create?: boolean;
  readonly 'allow-remote'?: boolean;
  readonly 'print-secret'?: boolean;
};

export type Served = 'forward' | 'tail';

/** @throws Failure `usage`, or what the service itself would end with at once */
export async function requireFit(run: Run, what: Served, name: string, flags: ServiceFlags): Promise<void> {
  const { health } = readFeedFlags(flags);
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
export function unitRefused(why: string): Failure {
  const text = why.replace(/^[a-z]/, (first) => first.toUpperCase());
  return new Failure('usage', `${text}. Nothing was sent.`);
}
