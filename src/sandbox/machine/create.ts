/** Turns a valid create into the first state of an operation (sections 2.2, 2.3 and 3). */
import { ECHOED, type Echoed, type NewPayin, type NewPayout } from '../../contract/body-fields.js';
import { LIMITS } from '../../contract/limits.js';
import { type Creator, METHODS } from '../../contract/operation.js';
import { fromMinor, toMinor } from '../../contract/money.js';
import { isoSeconds } from '../../runtime/clock.js';
import { awaitCode } from './passage.js';
import { concept, revise, type Core, type Context, type Hidden, type Transition } from './operation.js';
import { answer, minorOf, process, type Subject, verdictFor } from './settle.js';

const HOUR_MS = 3_600_000;

/** What the operation gets from its surroundings. */
export interface Circumstances {
  /** A new uuid. */
  readonly id: string;
  /** The company's three letters. */
  readonly companyPrefix: string;
  /** Who asks for it. */
  readonly createdBy: Creator;
  /** Of the currency. */
  readonly decimals: number;
}

/**
 * The first step of a pay-in: awaiting its code, awaiting its payment, or (`direct_debit`) as the bank answers.
 * @throws RangeError where the amount has more decimals than the currency
 */
export function createPayin(body: NewPayin, origin: Circumstances, context: Context): Transition {
  const { flow } = METHODS[body.method];
  const windowHours = body.expires_in_hours ?? LIMITS.windowDefaultHours;
  const windowEnd = flow === 'payment' ? context.nowMs + windowHours * HOUR_MS : null;
  const core: Core = {
    ...coreOf('payin', body, origin, context),
    ...(windowEnd === null ? {} : { expires_at: isoSeconds(windowEnd) }),
  };
  const hidden = { ...hiddenOf(body.payer, origin, context), phone: body.payer.phone ?? null };
  const subject: Subject = { operation: core, hidden: { ...hidden, due_at: windowEnd } };
  if (flow === 'code') return awaitCode(subject, 0, context);
  if (flow === 'bank') return askBank(subject, context);
  const operation = revise(core, { status: 'pending', reason: 'awaiting_payment' }, context.nowMs);
  return { held: { operation, hidden: subject.hidden }, entries: [], event: null };
}

/**
 * The first step of a payout: the amount is reserved, and the bank answers at once or later.
 * @throws RangeError where the amount has more decimals than the currency
 */
export function createPayout(body: NewPayout, origin: Circumstances, context: Context): Transition {
  const core = coreOf('payout', body, origin, context);
  const step = askBank({ operation: core, hidden: hiddenOf(body.beneficiary, origin, context) }, context);
  const minor = minorOf(core, origin.decimals);
  return { ...step, entries: [{ kind: 'reserve', currency: core.currency, minor }, ...step.entries] };
}

/** The bank is asked at creation. What comes later by its document comes by the first lookup, however slow outcomes are set to be. */
function askBank(subject: Subject, context: Context): Transition {
  const verdict = verdictFor(subject, context);
  if (verdict === 'later' || verdict.status === 'pending' || context.settleAfterMs === 0)
    return answer(subject, verdict, context);
  return process(subject, { verdict, afterMs: context.settleAfterMs, settlesOnLookup: false }, context);
}

function coreOf(
  type: Core['type'],
  body: NewPayin | NewPayout,
  origin: Circumstances,
  { nowMs }: Context,
): Core {
  const minor = toMinor(body.amount, origin.decimals);
  if (minor === null) throw new RangeError('the amount was not checked against its currency');
  const sent: Readonly<Record<string, unknown>> = body;
  const echoed = ECHOED.filter(([, { of }]) => of === 'both' || of === type);
  return {
    id: origin.id,
    type,
    country: body.country.toUpperCase(),
    currency: body.currency.toUpperCase(),
    method: body.method,
    amount: fromMinor(minor, origin.decimals),
    ...(Object.fromEntries(
      echoed.map(([name, { otherwise }]) => [name, sent[name] ?? otherwise]),
    ) as unknown as Echoed),
    concept: concept(type, origin.companyPrefix, origin.id),
    created_by: origin.createdBy,
    created_at: isoSeconds(nowMs),
  };
}

function hiddenOf(party: NewPayout['beneficiary'], origin: Circumstances, { verdict }: Context): Hidden {
  return {
    document_type: party.document?.type ?? null,
    document_number: party.document?.number ?? null,
    phone: null,
    bank_code: party.bank_code ?? null,
    decimals: origin.decimals,
    resends: 0,
    code_expires_at: null,
    due_at: null,
    verdict,
    settles_on_lookup: false,
  };
}
