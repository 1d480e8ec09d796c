/** A create before it is recorded: its payment, how that is named, and what the caller said to what may stand in its way. */
import type { PaymentSeries } from '../../bulk/key.js';
import type { KnownPayment } from '../../bulk/check/payments.js';
import { type Prepared, withIdempotencyKey } from '../../client/preparation.js';
import type { Journal } from '../../journal/journal.js';
import type { About, Leaving } from '../../journal/request.js';
import type { Failure } from '../../runtime/failure.js';
import type { Where } from '../line/where.js';
import type { SessionRun } from '../session/session.js';
import type { KeyedOptions } from './keyed-options.js';
import { leavingOf } from './leaving.js';
import { type NamedPayment, type Name, derivedName } from './payment-name.js';
import { StandingList } from './standing.js';
import { type RefusedCreate, standingFailure } from './standing-failure.js';
import type { CreateRules } from './verdict.js';

export interface Creating {
  readonly run: SessionRun<Where>;
  readonly journal: Journal;
  readonly options: KeyedOptions;
  readonly about: About;
  /** As it was given; null without one. */
  readonly reference: string | null;
  readonly rules: CreateRules;
  /** The payment that its key follows from; null where the key does not. */
  readonly named: NamedPayment | null;
  readonly standing: StandingList;
  /** Under the key that it was prepared with. */
  readonly prepared: Prepared;
  readonly leaving: Leaving;
  /** The caller's key has left before: another payment takes another. */
  readonly isKeyUsed: boolean;
}

/** @throws TypeError for a request that is no create; Failure `local_state` */
export async function creatingOf(
  run: SessionRun<Where>,
  journal: Journal,
  prepared: Prepared,
  options: KeyedOptions,
): Promise<Creating> {
  const { session } = run;
  const { leaving, about } = await leavingOf(run, journal, prepared, options.keyOf === 'caller');
  const reference = referenceIn(about, leaving.body);
  const isStrict = session.environment === 'live' || options.isAsLive;
  const { environment, idempotencyKey } = leaving;
  const { direction } = about;
  const isLabel = session.areReferencesLabels;
  const isDerived = options.keyOf === 'payment' && isStrict && !isLabel;
  const named =
    reference === null || !isDerived
      ? null
      : { environment, direction, reference, series: seriesOf(options) };
  return {
    ...{ run, journal, options, about, reference, named, prepared },
    isKeyUsed: options.keyOf === 'caller' && (await journal.knows(idempotencyKey)),
    rules: { newPayment: options.newPayment, sinceMs: options.since?.ms ?? null, isLabel, isStrict },
    standing: new StandingList(
      { direction, reference, referenceMark: about.referenceMark, place: leaving, isStrict },
      journal,
      run,
    ),
    leaving,
  };
}

/** Of a payment that is meant once more. */
function seriesOf({ newPayment, since }: KeyedOptions): PaymentSeries | null {
  if (newPayment !== null) return { kind: 'after', of: newPayment };
  return since === null ? null : { kind: 'since', of: since.typed };
}

/** As it was given; null without one. */
export function referenceIn(
  { referenceMark }: Pick<About, 'referenceMark'>,
  body: Uint8Array,
): string | null {
  if (referenceMark === null) return null;
  return (JSON.parse(Buffer.from(body).toString('utf8')) as { reference: string }).reference;
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
export function refusalBy({ run, about, isKeyUsed }: Creating, newest: KnownPayment): Failure {
  return refusalIn(run, { about, without: isKeyUsed ? ['--idempotency-key'] : [] }, newest);
}

/** The same of whatever was typed. */
export function refusalIn(
  { typed, flags, session }: SessionRun<Where>,
  refused: Pick<RefusedCreate, 'about' | 'without'>,
  newest: KnownPayment,
): Failure {
  return standingFailure(newest, { typed, flags, ...refused, nowMs: session.clock.now() });
}
