import { isUuid } from '../contract/notation.js';
import { requireCheckpointName } from '../storage/checkpoints/checkpoint.js';
import { Failure, usageFailure } from '../runtime/failure.js';
import type { Texts } from '../command/line/flags.js';
import type { GlobalFlags, Run } from '../command/command.js';
import { durationMs } from '../runtime/typed-time.js';
import { readPort } from '../command/line/local-server.js';
import { readCertificates } from '../session/connection.js';
import { readSecret } from '../session/state-place.js';
import { type IntoTarget, readInto } from './into/target.js';
import { longEnoughToHide } from '../storage/postgres/source.js';

export type FeedFlags = GlobalFlags &
  Texts<
    'from' | 'checkpoint' | 'interval' | 'reference' | 'id' | 'health' | 'health-host' | 'max-lag' | 'log'
  > & { readonly 'no-follow': boolean; readonly type?: string[] | undefined };

export type FeedOptions = Readonly<ReturnType<typeof readFeedFlags>>;

const INTERVAL_MIN_MS = 100;
const TYPED_TIME = /^(?:today|yesterday|tomorrow|[0-9]+[smhdw]|[0-9]{4}-[0-9]{2}-[0-9]{2})$/i;

export function readFeedFlags(flags: FeedFlags) {
  const { from = 'start', checkpoint, interval = '2s', 'max-lag': lag = '5m' } = flags;
  if (from === '') throw usageFailure('--from cannot be empty: use start, now or a cursor.');
  if (TYPED_TIME.test(from))
    throw usageFailure('--from must be start, now or a cursor (next_cursor of a page), not a time.');
  const intervalMs = durationMs(interval, '--interval');
  const tooShortText = `--interval is too short: use at least ${INTERVAL_MIN_MS}ms. Nothing was sent.`;
  if (intervalMs < INTERVAL_MIN_MS) throw new Failure('usage', tooShortText);
  if (flags.id !== undefined && !isUuid(flags.id))
    throw usageFailure('--id must be the id of an operation, or 6 or more of its first characters.');
  const maxLagMs = durationMs(lag, '--max-lag');
  if (maxLagMs <= intervalMs) throw usageFailure('--max-lag must be longer than --interval.');
  return {
    from,
    checkpoint: checkpoint === undefined ? null : requireCheckpointName(checkpoint),
    follows: !flags['no-follow'],
    ...{ intervalMs, maxLagMs, health: readHealth(flags) },
  };
}

function readHealth({ health, 'health-host': host }: FeedFlags) {
  if (health !== undefined) return { port: readPort(health, '--health'), host: host ?? '127.0.0.1' };
  if (host === undefined) return null;
  throw usageFailure('--health-host needs --health PORT.');
}

/** Refuses a blank program, because a shell ends it with exit code 0 and every event would count as accepted. */
export function programOf({ exec }: Texts<'exec'>): string | null {
  if (exec === undefined) return null;
  if (exec.trim() !== '') return exec;
  const text = '--exec cannot be empty: give the program that gets the events. Nothing was sent.';
  throw new Failure('usage', text);
}

export type IntoFlags = FeedFlags & Texts<'into'> & { readonly create: boolean };

const EXCLUDED_FLAGS: Readonly<Record<string, string>> = {
  checkpoint: 'the place in the feed is kept in the database, with the events',
  exec: 'the events go into the database',
  type: 'the tables hold the whole feed, and SQL chooses',
  reference: 'the tables hold the whole feed, and SQL chooses',
  id: 'the tables hold the whole feed, and SQL chooses',
  jq: 'nothing is printed',
  output: 'nothing is printed',
};

export function readIntoFlags({ ports, flags }: Run<IntoFlags & Texts<'exec'>>): IntoTarget | null {
  if (flags.into === undefined) {
    if (!flags.create) return null;
    throw usageFailure('--create needs --into.');
  }
  for (const [name, why] of Object.entries(EXCLUDED_FLAGS))
    if ((flags as Readonly<Record<string, unknown>>)[name] !== undefined)
      throw usageFailure(`--${name} and --into exclude each other: ${why}.`);
  const { env, redact } = ports;
  const caFile = flags['ca-file'];
  return readInto(flags.into, {
    ...{ env, readSecret },
    ca: () => (caFile === undefined ? null : readCertificates(caFile)),
    hide: (secrets) =>
      redact.add(longEnoughToHide(secrets).flatMap((secret) => [secret, encodeURIComponent(secret)])),
  });
}
