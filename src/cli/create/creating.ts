/** A create before it is recorded: its payment, how that is named, and what the caller said to what may stand in its way. */
import type { Evidence } from '../../bulk/check/evidence.js';
import { generationOf, type KnownPayment } from '../../bulk/check/payments.js';
import { deriveKey, deriveSeriesKey, type PaymentSeries } from '../../bulk/key.js';
import { type Prepared, withIdempotencyKey } from '../../client/request.js';
import type { Environment } from '../../contract/access.js';
import { isUuid } from '../../contract/notation.js';
import type { Direction } from '../../contract/operation.js';
import type { Leaving } from '../../journal/request.js';
import type { Failure } from '../../runtime/failure.js';
import type { Where } from '../line/where.js';
import type { SessionRun } from '../session/session.js';
import type { KeyedCreate, KeyedOptions } from './sending.js';
import { KnownPayments } from './known-payments.js';
import { type RefusedCreate, standingFailure } from './standing-failure.js';
import type { CreateRules } from './verdict.js';

export interface Creating extends KeyedCreate {
  /** As it was given; null without one. */
  readonly reference: string | null;
  readonly rules: CreateRules;
  /** The payment that its key follows from; null where the key does not. */
  readonly named: NamedPayment | null;
  readonly standing: KnownPayments;
  /** The caller's key has left before: another payment takes another. */
  readonly isKeyUsed: boolean;
}

/** @throws DatabaseUnusable */
export async function creatingOf(create: KeyedCreate): Promise<Creating> {
  const { run, journal, prepared, options, leaving } = create;
  const { session } = run;
  const reference = referenceIn(leaving, prepared);
  const isStrict = session.environment === 'live' || options.isAsLive;
  const { environment, idempotencyKey, direction, referenceMark } = leaving;
  const isLabel = session.areReferencesLabels;
  const isDerived = options.keyOf === 'payment' && isStrict && !isLabel;
  const named =
    reference === null || !isDerived
      ? null
      : { environment, direction, reference, series: seriesOf(options) };
  return {
    ...{ ...create, reference, named },
    isKeyUsed: options.keyOf === 'caller' && (await journal.knows(idempotencyKey)),
    rules: { newPayment: options.newPayment, sinceMs: options.since?.ms ?? null, isLabel, isStrict },
    standing: new KnownPayments(
      { direction, reference, referenceMark, place: leaving, isStrict },
      journal,
      run,
    ),
  };
}

/** Of a payment that is meant once more. */
function seriesOf({ newPayment, since }: KeyedOptions): PaymentSeries | null {
  if (newPayment !== null) return { kind: 'after', of: newPayment };
  return since === null ? null : { kind: 'since', of: since.typed };
}

/** As it was given; null without one. */
export function referenceIn(
  { referenceMark }: Pick<Leaving, 'referenceMark'>,
  { members }: Pick<Prepared, 'members'>,
): string | null {
  return referenceMark === null ? null : (members as { readonly reference: string }).reference;
}

/** The create under the key of that try; as it was prepared where its key does not follow from it. */
export function tryOf(creating: Creating, generation: number): Creating {
  const { named, prepared, leaving } = creating;
  if (named === null) return creating;
  const name: Name = derivedName(named, generation);
  return {
    ...creating,
    prepared: withIdempotencyKey(prepared, name.idempotencyKey),
    leaving: { ...leaving, ...name },
  };
}

/** The refusal of it because of that payment. */
export function refusalBy({ run, leaving, isKeyUsed }: Creating, newest: KnownPayment): Failure {
  return refusalIn(run, { about: leaving, without: isKeyUsed ? ['--idempotency-key'] : [] }, newest);
}

/** The same of whatever was typed. */
export function refusalIn(
  { typed, flags, session }: SessionRun<Where>,
  refused: Pick<RefusedCreate, 'about' | 'without'>,
  newest: KnownPayment,
): Failure {
  return standingFailure(newest, { typed, flags, ...refused, nowMs: session.clock.now() });
}

/** A payment whose key follows from it. */
interface NamedPayment {
  readonly environment: Environment;
  readonly direction: Direction;
  readonly reference: string;
  /** Null for the one that a row of a batch would be. */
  readonly series: PaymentSeries | null;
}

/** The key of a try, as it leaves. */
type Name = Pick<Leaving, 'idempotencyKey' | 'series' | 'generation'>;

/** @param generation which try it is, from 1 */
function derivedName({ series, ...payment }: NamedPayment, generation: number): Name {
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
