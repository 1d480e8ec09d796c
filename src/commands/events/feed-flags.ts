/** The flags of the commands that follow the feed, and what they mean. */
import * as Flags from '@oclif/core/flags';
import { isUuid } from '../../contract/notation.js';
import { requireCheckpointName } from '../../events/checkpoint.js';
import { Failure } from '../../runtime/failure.js';
import type { GlobalFlags } from '../../cli/command.js';
import { durationMs } from '../../cli/line/duration.js';
import { grouped } from '../../cli/line/flags.js';
import { readPort } from '../../cli/line/local-server.js';

/** How reading the feed, and keeping the place in it, can end. */
export const feedExitCodes = [6, 10, 11, 15];

export const feedFlags = {
  ...grouped('WHICH EVENTS', {
    from: Flags.string({ summary: 'Where to start [default: start]', helpValue: 'start|now|CURSOR' }),
    type: Flags.string({
      summary: 'Only this type, such as payout.failed; repeatable',
      helpValue: 'TYPE',
      multiple: true,
      multipleNonGreedy: true,
    }),
    reference: Flags.string({ summary: 'Only operations of this reference', helpValue: 'TEXT' }),
    id: Flags.string({ summary: 'Only this operation', helpValue: 'ID' }),
  }),
  ...grouped('HOW IT FOLLOWS', {
    checkpoint: Flags.string({
      summary: 'Store the position under NAME, and continue from it',
      helpValue: 'NAME',
    }),
    'no-follow': Flags.boolean({ summary: 'Stop at the end of the feed' }),
    interval: Flags.string({
      summary: 'Time between two looks for new events [default: 2s]',
      helpValue: 'DURATION',
    }),
  }),
  ...grouped('AS A SERVICE', {
    health: Flags.string({ summary: 'Serve /healthz and /metrics; 0: any port', helpValue: 'PORT' }),
    'health-host': Flags.string({ summary: 'Address of --health [default: 127.0.0.1]', helpValue: 'HOST' }),
    'max-lag': Flags.string({
      summary: '/healthz fails if further behind [default: 5m]',
      helpValue: 'DURATION',
    }),
    log: Flags.string({ summary: 'Format of the notes on standard error', options: ['text', 'json'] }),
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
  if (from === '')
    throw new Failure('usage', '--from cannot be empty: use start, now or a cursor. Nothing was sent.');
  const intervalMs = durationMs(interval, '--interval');
  if (intervalMs < INTERVAL_MIN_MS) {
    throw new Failure(
      'usage',
      `--interval is too short: use at least ${INTERVAL_MIN_MS}ms. Nothing was sent.`,
    );
  }
  if (flags.id !== undefined && !isUuid(flags.id))
    throw new Failure(
      'usage',
      '--id must be the id of an operation, or 6 or more of its first characters. Nothing was sent.',
    );
  const maxLagMs = durationMs(lag, '--max-lag');
  if (maxLagMs <= intervalMs)
    throw new Failure('usage', '--max-lag must be longer than --interval. Nothing was sent.');
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
  throw new Failure('usage', '--health-host needs --health PORT. Nothing was sent.');
}
