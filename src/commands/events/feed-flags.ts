/** The flags of the commands that follow the feed, and what they mean. */
import * as Flags from '@oclif/core/flags';
import { EVENT_TYPES } from '../../contract/events.js';
import { requireCheckpointName } from '../../events/checkpoint.js';
import { Failure } from '../../runtime/failure.js';
import type { GlobalFlags } from '../../cli/command.js';
import { durationMs } from '../../cli/line/duration.js';

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
};

export type FeedFlags = GlobalFlags & {
  readonly from?: string | undefined;
  readonly checkpoint?: string | undefined;
  readonly 'no-follow': boolean;
  readonly interval?: string | undefined;
  readonly type?: string[] | undefined;
  readonly reference?: string | undefined;
  readonly id?: string | undefined;
};

/** What the flags ask for. */
export interface FeedOrders {
  readonly from: string;
  readonly checkpoint: string | null;
  readonly follows: boolean;
  readonly intervalMs: number;
}

const INTERVAL_MIN_MS = 100;

/** @throws Failure `usage` */
export function readFeedFlags(flags: FeedFlags): FeedOrders {
  const { from = 'start', checkpoint, interval = '2s' } = flags;
  if (from === '') throw new Failure('usage', '--from takes start, now or a cursor. Nothing was sent.');
  const intervalMs = durationMs(interval, '--interval');
  if (intervalMs < INTERVAL_MIN_MS) {
    throw new Failure('usage', `--interval is at least ${INTERVAL_MIN_MS}ms. Nothing was sent.`);
  }
  return {
    from,
    checkpoint: checkpoint === undefined ? null : requireCheckpointName(checkpoint),
    follows: !flags['no-follow'],
    intervalMs,
  };
}
