import type { ClaimedRow } from '../../../../src/storage/batches/row.js';
import type { Attempt } from '../../../../src/contract/attempt.js';
import { httpDate, isoSeconds } from '../../../../src/runtime/clock.js';
import { busy, limited, lost, made } from '../../../storage/batches/attempts.js';
import type { ServiceClock } from '../../../../src/client/service-clock.js';
import type { Seeded } from '../../../support/seeded.js';
import type { SeveralMachine } from './machine.js';
import type { Time } from './time.js';

const MEMORY_MS = 24 * 3_600_000;
export const ANSWER_MS = 30_000;

export interface PaidRow {
  readonly id: string;
  readonly reference: string;
  readonly atMs: number;
}

export class SeveralService {
  readonly paid: PaidRow[] = [];
  readonly #keys = new Map<string, PaidRow>();

  constructor(
    private readonly time: Time,
    private readonly random: Seeded,
    readonly manners: { readonly faultRate: number; readonly slowMs: number; readonly saysDate: boolean },
  ) {}

  sayTime(clock: ServiceClock): void {
    if (this.manners.saysDate) clock.hear({ headers: [['date', httpDate(this.time.nowMs)]] }, true);
  }

  attempt(row: ClaimedRow, machine: SeveralMachine, clock: ServiceClock): Promise<Attempt> {
    const { faultRate, slowMs, saysDate } = this.manners;
    const fates = ['before', 'after', 'late', 'busy', 'limited'] as const;
    const fate = this.random.chance(faultRate) ? this.random.pick(fates) : 'answered';
    return new Promise((resolve) => {
      const answer = (attempt: Attempt, atMs = this.time.nowMs + 100): void =>
        machine.at(atMs, () => {
          if (saysDate && attempt !== lost)
            clock.hear({ headers: [['date', httpDate(this.time.nowMs)]] }, true);
          resolve(attempt);
        });
      if (fate === 'before') {
        answer(lost);
        return;
      }
      if (fate === 'busy') {
        answer(busy);
        return;
      }
      if (fate === 'limited') {
        answer(limited);
        return;
      }
      const outMs = this.time.nowMs + ANSWER_MS;
      this.time.in(fate === 'late' ? this.random.below(ANSWER_MS) : this.random.below(slowMs), () => {
        const { id, atMs } = this.#pay(row);
        const paid = made('confirmed', { id, created_at: isoSeconds(atMs) });
        answer(fate === 'answered' ? paid : lost, fate === 'late' ? outMs : undefined);
      });
    });
  }

  of(reference: string): PaidRow | undefined {
    return this.paid.find((one) => one.reference === reference);
  }

  #pay({ key, reference }: ClaimedRow): PaidRow {
    const known = this.#keys.get(key);
    if (known !== undefined && this.time.nowMs - known.atMs <= MEMORY_MS) return known;
    const id = `00000000-0000-4000-8000-${String(this.paid.length).padStart(12, '0')}`;
    const operation = { id, reference, atMs: this.time.nowMs };
    this.paid.push(operation);
    this.#keys.set(key, operation);
    return operation;
  }
}
