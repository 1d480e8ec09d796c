/** What the sandbox consists of while it runs: its store, its sources of time and randomness, its settings. */
import type { Environment } from '../../contract/access.js';
import type { Clock } from '../../runtime/clock.js';
import type { Random } from '../../runtime/random.js';
import { bankReference } from '../machine/operation.js';
import type { BankVerdict, Context } from '../machine/types.js';
import type { RequestLog } from '../log/request-log.js';
import type { Store } from '../store/store.js';

export interface World {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  /** The one valid code. */
  readonly code: string;
  /** How long payouts and `direct_debit` stay processing. */
  readonly settleAfterMs: number;
  /** Accept `http://` on loopback as a webhook url. */
  readonly allowHttpWebhooks: boolean;
  /** The key of the ready line. */
  readonly readyKey: string;
  /** Seals cursors. */
  readonly cursorSecret: string;
  readonly log: RequestLog;
}

/** Sandbox time in milliseconds: the clock, and how far it was moved. Within a transaction of the store. */
export function sandboxTime({ clock, store }: World): number {
  return clock.now() + store.settings.clockOffsetMs();
}

/**
 * What a step of the machine may know of this world at that moment.
 * @param takeVerdict asked once, by the first step that asks the bank: an armed outcome is spent by that and by nothing else
 */
export function contextAt(
  { code, settleAfterMs, store }: World,
  environment: Environment,
  nowMs: number,
  takeVerdict: () => BankVerdict | null = () => null,
): Context {
  let taken: BankVerdict | null | undefined;
  return {
    nowMs,
    code,
    settleAfterMs,
    bankReference: () => bankReference(store.settings.nextBankReference(environment)),
    get verdict() {
      return (taken ??= takeVerdict());
    },
  };
}
