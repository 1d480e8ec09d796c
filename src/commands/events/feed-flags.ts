/** The flags of the commands that follow the feed, and what they mean. */
import * as Flags from '@oclif/core/flags';
import { EVENT_TYPES } from '../../contract/events.js';
import { requireCheckpointName } from '../../events/checkpoint.js';
import { Failure } from '../../runtime/failure.js';
import type { GlobalFlags } from '../../cli/command.js';
import { durationMs } from '../../cli/line/duration.js';
import { readPort } from '../../cli/line/local-server.js';

/** How reading the feed, and keeping the place in it, can end. */
export const feedExitCodes = [6, 10, 11, 15];

export const feedFlags = {
  from: Flags.string({
    summary: 'Where to begin: start, now, or a cursor [default: start].',
    helpValue: 'start|now|CURSOR',
  }),
  checkpoint: Flags.string({
    summary: 'Keep the place under this name, durable: begins where the last run left off, else at --from.',
    helpValue: 'NAME',
  }),
  'no-follow': Flags.boolean({ summary: 'Stop at the end of the feed.' }),
  interval: Flags.string({
    summary: 'How often to look for new events at the end of the feed [default: 2s].',
    helpValue: 'DURATION',
  }),
  type: Flags.string({
    summary: `Only events of this type; repeatable: ${EVENT_TYPES.filter((type) => type !== 'test.ping').join(', ')}.`,
    helpValue: 'TYPE',
    multiple: true,
    multipleNonGreedy: true,
  }),
  reference: Flags.string({ summary: 'Only events of operations with this reference.', helpValue: 'TEXT' }),
  id: Flags.string({ summary: 'Only events of this operation.', helpValue: 'ID' }),
  health: Flags.string({
    summary:
      'Answer on this port whether all is well (/healthz) and what was done (/metrics); 0 picks a free one.',
    helpValue: 'PORT',
  }),
  'health-host': Flags.string({
    summary: 'The address of this machine that --health listens at [default: 127.0.0.1].',
    helpValue: 'HOST',
  }),
  'max-lag': Flags.string({
    summary: 'How far the newest accepted event may be behind the newest of the feed [default: 5m].',
    helpValue: 'DURATION',
  }),
  log: Flags.string({
    summary: 'Notes on standard error as text, or one JSON object a line.',
    options: ['text', 'json'],
  }),
};

export type FeedFlags = GlobalFlags & {
  readonly from?: string | undefined;
  readonly checkpoint?: string | undefined;
  readonly 'no-follow': boolean;
  readonly interval?: string | undefined;
  readonly type?: string[] | undefined;
  readonly reference?: string | undefined;
  readonly id?: string | undefined;
  readonly health?: string | undefined;
  readonly 'health-host'?: string | undefined;
  readonly 'max-lag'?: string | undefined;
  readonly log?: string | undefined;
};

/** What the flags ask for. */
export interface FeedOrders {
  readonly from: string;
  readonly checkpoint: string | null;
  readonly follows: boolean;
  readonly intervalMs: number;
  readonly maxLagMs: number;
  /** Where it is said how the run stands; null where nobody asked for that. */
  readonly health: { readonly port: number; readonly host: string } | null;
}

const INTERVAL_MIN_MS = 100;

/** @throws Failure `usage` */
export function readFeedFlags(flags: FeedFlags): FeedOrders {
  const { from = 'start', checkpoint, interval = '2s', 'max-lag': lag = '5m' } = flags;
  if (from === '') throw new Failure('usage', '--from takes start, now or a cursor. Nothing was sent.');
  const intervalMs = durationMs(interval, '--interval');
  if (intervalMs < INTERVAL_MIN_MS) {
    throw new Failure('usage', `--interval is at least ${INTERVAL_MIN_MS}ms. Nothing was sent.`);
  }
  const maxLagMs = durationMs(lag, '--max-lag');
  if (maxLagMs <= intervalMs)
    throw new Failure(
      'usage',
      '--max-lag is longer than --interval: in between nothing is looked for. Nothing was sent.',
    );
  return {
    from,
    checkpoint: checkpoint === undefined ? null : requireCheckpointName(checkpoint),
    follows: !flags['no-follow'],
    ...{ intervalMs, maxLagMs, health: readHealth(flags) },
  };
}

function readHealth({ health, 'health-host': host }: FeedFlags): FeedOrders['health'] {
  if (health !== undefined) return { port: readPort(health, '--health'), host: host ?? '127.0.0.1' };
  if (host === undefined) return null;
  throw new Failure(
    'usage',
    '--health-host says where --health listens: give its port too. Nothing was sent.',
  );
}
