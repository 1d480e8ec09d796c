import type { KnownPayment } from '../known/payments.js';
import { deriveKey, type PaymentTry } from '../known/key.js';
import { type PreparedRequest, withIdempotencyKey } from '../../client/request.js';
import type { UnsentRequest } from '../../storage/journal/request.js';
import type { Failure } from '../../runtime/failure.js';
import { KeyNotes } from '../known/key-notes.js';
import { KnownPayments } from '../known/known-payments.js';
import { knownPaymentFailure } from '../refusals.js';
import type { CreateRules } from '../decide.js';
import type { UnrecordedCreate } from './prepared-create.js';

export interface PlannedCreate extends UnrecordedCreate {
  readonly reference: string | null;
  readonly rules: CreateRules;
  readonly isDerived: boolean;
  readonly knownPayments: KnownPayments;
  readonly notes: KeyNotes;
  readonly isKeyUsed: boolean;
}

export async function plannedCreateOf(create: UnrecordedCreate): Promise<PlannedCreate & AsyncDisposable> {
  const { run, journal, prepared, options, unsent } = create;
  const { session } = run;
  const reference = referenceIn(unsent, prepared);
  const isStrict = session.environment === 'live' || options.isAsLive;
  const { idempotencyKey, direction, referenceMark } = unsent;
  const { areReferencesLabels } = session;
  const isDerived = reference !== null && options.keySource === 'payment' && isStrict && !areReferencesLabels;
  const subject = { direction, reference, referenceMark, place: unsent, isStrict };
  const knownPayments = new KnownPayments(subject, journal, run);
  return {
    ...create,
    reference,
    isDerived,
    notes: new KeyNotes(journal, unsent, run),
    isKeyUsed: options.keySource === 'caller' && (await journal.hasLeft(idempotencyKey)),
    rules: {
      newPayment: options.newPayment,
      sinceMs: options.since?.ms ?? null,
      areReferencesLabels,
      isStrict,
    },
    knownPayments,
    [Symbol.asyncDispose]: () => knownPayments[Symbol.asyncDispose](),
  };
}

export function referenceIn(
  { referenceMark }: Pick<UnsentRequest, 'referenceMark'>,
  { members }: Pick<PreparedRequest, 'members'>,
): string | null {
  return referenceMark === null ? null : (members as { readonly reference: string }).reference;
}

export function withKeyOfTry(create: PlannedCreate, nextTry: PaymentTry | null): PlannedCreate {
  const { reference, prepared, unsent } = create;
  if (nextTry === null || reference === null) return create;
  const idempotencyKey = deriveKey({ ...unsent, ...nextTry, reference });
  return {
    ...create,
    prepared: withIdempotencyKey(prepared, idempotencyKey),
    unsent: { ...unsent, ...nextTry, idempotencyKey },
  };
}

export function refusalOfCreate(create: PlannedCreate, newest: KnownPayment): Failure {
  const { run, unsent: subject, reference, isKeyUsed } = create;
  const droppedFlags = isKeyUsed ? ['--idempotency-key'] : [];
  return knownPaymentFailure(newest, { ...run, subject, reference, droppedFlags });
}
