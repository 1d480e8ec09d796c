/** A create that is not in the journal yet, with its key and the rules of `--new-payment`. */
import type { KnownPayment } from '../../bulk/check/payments.js';
import { deriveKey, type PaymentTry } from '../../bulk/key.js';
import { type PreparedRequest, withIdempotencyKey } from '../../client/request.js';
import type { UnsentRequest } from '../../journal/request.js';
import type { Failure } from '../../runtime/failure.js';
import type { Where } from '../line/where.js';
import type { SessionRun } from '../session/session.js';
import type { UnrecordedCreate } from './sending.js';
import { KeyNotes } from './key-notes.js';
import { KnownPayments } from './known-payments.js';
import { type RefusedCreate, knownPaymentFailure } from './standing-failure.js';
import type { CreateRules } from './verdict.js';

export interface PlannedCreate extends UnrecordedCreate {
  /** As the caller typed it; null without one. */
  readonly reference: string | null;
  readonly rules: CreateRules;
  /** True if the idempotency key is derived from the payment. */
  readonly isDerived: boolean;
  readonly knownPayments: KnownPayments;
  /** Notes about derived keys, in the journal. */
  readonly notes: KeyNotes;
  /** True if the caller's own key was sent before: another payment needs another key. */
  readonly isKeyUsed: boolean;
}

/** @throws DatabaseUnusable */
export async function plannedCreateOf(create: UnrecordedCreate): Promise<PlannedCreate> {
  const { run, journal, prepared, options, leaving } = create;
  const { session } = run;
  const reference = referenceIn(leaving, prepared);
  const isStrict = session.environment === 'live' || options.isAsLive;
  const { idempotencyKey, direction, referenceMark } = leaving;
  const isLabel = session.areReferencesLabels;
  const isDerived = reference !== null && options.keyOf === 'payment' && isStrict && !isLabel;
  return {
    ...{ ...create, reference, isDerived, notes: new KeyNotes(journal, leaving, run) },
    isKeyUsed: options.keyOf === 'caller' && (await journal.hasLeft(idempotencyKey)),
    rules: { newPayment: options.newPayment, sinceMs: options.since?.ms ?? null, isLabel, isStrict },
    knownPayments: new KnownPayments(
      { direction, reference, referenceMark, place: leaving, isStrict },
      journal,
      run,
    ),
  };
}

/** Returns the reference as the caller typed it; null without one. */
export function referenceIn(
  { referenceMark }: Pick<UnsentRequest, 'referenceMark'>,
  { members }: Pick<PreparedRequest, 'members'>,
): string | null {
  return referenceMark === null ? null : (members as { readonly reference: string }).reference;
}

/** Returns the create with the key of that try; unchanged if its key is not derived. */
export function withKeyOfTry(plannedCreate: PlannedCreate, next: PaymentTry | null): PlannedCreate {
  const { reference, prepared, leaving } = plannedCreate;
  if (next === null || reference === null) return plannedCreate;
  const idempotencyKey = deriveKey({ ...leaving, ...next, reference });
  return {
    ...plannedCreate,
    prepared: withIdempotencyKey(prepared, idempotencyKey),
    leaving: { ...leaving, ...next, idempotencyKey },
  };
}

export function refusalOfCreate(plannedCreate: PlannedCreate, newest: KnownPayment): Failure {
  const { run, leaving: about, reference, isKeyUsed } = plannedCreate;
  return paymentRefusal(run, { about, reference, without: isKeyUsed ? ['--idempotency-key'] : [] }, newest);
}

/** As `refusalOfCreate`, also for commands that typed no create, such as `requests repeat`. */
export function paymentRefusal(
  { typed, flags }: SessionRun<Where>,
  refused: Pick<RefusedCreate, 'about' | 'reference' | 'without'>,
  newest: KnownPayment,
): Failure {
  return knownPaymentFailure(newest, { typed, flags, ...refused });
}
