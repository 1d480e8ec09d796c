/** Turns a valid create into the first state of an operation (contract sections 2.2, 2.3 and 3). */
import { ECHOED_FIELDS } from '../../contract/body-fields.js';
import type { EchoedFields, NewPayin, NewPayout } from '../../contract/body-fields.js';
import { LIMITS } from '../../contract/limits.js';
import { type Creator, METHODS } from '../../contract/operation.js';
import { fromMinor, toMinor } from '../../contract/money.js';
import { isoSeconds } from '../../runtime/clock.js';
import { awaitCode } from './passage.js';
import { conceptOf, toPending, type Core, type Context, type Transition } from './operation.js';
import { applyVerdict, minorOf, toProcessing, type Subject, verdictFor } from './settle.js';

export interface OperationOrigin {
  readonly id: string;
  readonly companyPrefix: string;
  readonly createdBy: Creator;
  readonly decimals: number;
}

export function createPayin(body: NewPayin, origin: OperationOrigin, context: Context): Transition {
  const { flow } = METHODS[body.method];
  const windowHours = body.expires_in_hours ?? LIMITS.windowDefaultHours;
  const windowEndMs = flow === 'payment' ? context.nowMs + windowHours * 3_600_000 : null;
  const core: Core = {
    ...coreOf('payin', body, origin, context),
    ...(windowEndMs === null ? {} : { expires_at: isoSeconds(windowEndMs) }),
  };
  const hidden = { ...hiddenOf(body.payer, origin, context), phone: body.payer.phone ?? null };
  const subject: Subject = { operation: core, hidden: { ...hidden, due_at: windowEndMs } };
  if (flow === 'code') return awaitCode(subject, 0, context);
  if (flow === 'bank') return askBank(subject, context);
  return toPending('awaiting_payment', core, subject.hidden, context.nowMs);
}

export function createPayout(body: NewPayout, origin: OperationOrigin, context: Context): Transition {
  const core = coreOf('payout', body, origin, context);
  const step = askBank({ operation: core, hidden: hiddenOf(body.beneficiary, origin, context) }, context);
  const minor = minorOf(core, origin.decimals);
  return { ...step, entries: [{ kind: 'reserve', currency: core.currency, minor }, ...step.entries] };
}

function askBank(subject: Subject, context: Context): Transition {
  const verdict = verdictFor(subject, context);
  if (verdict === 'later' || verdict.status === 'pending' || context.settleAfterMs === 0)
    return applyVerdict(subject, verdict, context);
  const due_at = context.nowMs + context.settleAfterMs;
  return toProcessing(subject, { due_at, verdict, settles_on_lookup: false }, context);
}

function coreOf(type: Core['type'], body: NewPayin | NewPayout, origin: OperationOrigin, { nowMs }: Context) {
  const minor = toMinor(body.amount, origin.decimals);
  if (minor === null) throw new RangeError('the amount was not checked against its currency');
  const members: Readonly<Record<string, unknown>> = body;
  const fields = ECHOED_FIELDS.filter(([, { direction }]) => direction === 'both' || direction === type);
  return {
    id: origin.id,
    type,
    country: body.country.toUpperCase(),
    currency: body.currency.toUpperCase(),
    method: body.method,
    amount: fromMinor(minor, origin.decimals),
    ...(Object.fromEntries(
      fields.map(([name, { default: otherwise }]) => [name, members[name] ?? otherwise]),
    ) as unknown as EchoedFields),
    concept: conceptOf(type, origin.companyPrefix, origin.id),
    created_by: origin.createdBy,
    created_at: isoSeconds(nowMs),
  };
}

const hiddenOf = (party: NewPayout['beneficiary'], origin: OperationOrigin, { verdict }: Context) => ({
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
});
