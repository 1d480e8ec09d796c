/** What a keyed create is called: the key that the caller named, one that follows from the payment, or any. */
import { deriveKey, deriveSeriesKey, type PaymentSeries } from '../../bulk/key.js';
import { generationOf } from '../../bulk/check/identity.js';
import type { Evidence } from '../../bulk/check/evidence.js';
import type { Environment } from '../../contract/access.js';
import { isUuid } from '../../contract/notation.js';
import type { Direction } from '../../contract/operation.js';
import type { Leaving } from '../../journal/request.js';

/** A payment whose key follows from it. */
export interface NamedPayment {
  readonly environment: Environment;
  readonly direction: Direction;
  readonly reference: string;
  /** Null for the one that a row of a batch would be. */
  readonly series: PaymentSeries | null;
}

/** The key of a try, as it leaves. */
export type Name = Pick<Leaving, 'idempotencyKey' | 'series' | 'generation'>;

/** @param generation the how-manieth try it is, from 1 */
export function derivedName({ series, ...payment }: NamedPayment, generation: number): Name {
  const idempotencyKey =
    series === null
      ? deriveKey({ ...payment, ordinal: 0, generation })
      : deriveSeriesKey({ ...payment, series, generation });
  return { idempotencyKey, series: series === null ? null : textOf(series), generation };
}

/**
 * Which try is the next, by what is known here. Of a series only its own tries count: what failed under another key may be unknown on
 * another machine, and there the payment would have another key.
 */
export function nextGeneration({ series }: NamedPayment, evidence: Evidence): number {
  if (series === null) return generationOf(evidence, 0, { sinceMs: null });
  const ours = evidence.singles.filter((single) => single.series === textOf(series));
  return 1 + ours.filter(({ status }) => status === 'failed').length;
}

function textOf({ kind, of }: PaymentSeries): string {
  return `${kind}:${isUuid(of) ? of.toLowerCase() : of}`;
}
