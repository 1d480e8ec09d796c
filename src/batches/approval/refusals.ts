import { counted } from '../../contract/on-screen.js';
import { signaturesNeeded } from './people.js';
import type { PlanHead } from './plan/format.js';
import type { Environment } from '../../contract/access.js';
import { momentText } from '../../contract/notation.js';
import { escapeText } from '../../output/escape.js';
import { Failure, type FailureFacts, type SentOutcome } from '../../runtime/failure.js';
import type { CountedSigners } from './verify.js';

export interface PlanPlace {
  readonly environment: Environment;
  readonly address: string;
  readonly serviceMs: number | null;
  readonly validForMs: number | null;
}

interface PlanRefusal {
  readonly code: keyof typeof HEAD_REFUSALS;
  readonly plan: string;
  readonly here: string;
}

const SKEW_MS = 5 * 60_000;

export function planRefusal(head: PlanHead, place: PlanPlace): PlanRefusal | null {
  const { environment, address, made_at: madeAt, valid_until: validUntil } = head;
  if (environment !== place.environment)
    return { code: 'plan_other_environment', plan: environment, here: place.environment };
  if (address !== place.address) return { code: 'plan_other_address', plan: address, here: place.address };
  const { serviceMs, validForMs } = place;
  if (serviceMs === null || !Number.isFinite(serviceMs))
    return { code: 'time_unknown', plan: validUntil, here: '' };
  const now = momentText(Math.floor(serviceMs / 1000) * 1000);
  const [madeMs, untilMs] = [Date.parse(madeAt), Date.parse(validUntil)];
  // Negates the comparison, because an unreadable time (NaN) must be refused too.
  if (!(madeMs <= serviceMs + SKEW_MS)) return { code: 'plan_from_future', plan: madeAt, here: now };
  if (hasExpired(head, serviceMs)) return { code: 'approval_expired', plan: validUntil, here: now };
  if (validForMs !== null && !(untilMs - madeMs <= validForMs))
    return { code: 'plan_valid_too_long', plan: hoursText(untilMs - madeMs), here: hoursText(validForMs) };
  return null;
}

export function hasExpired({ valid_until: until }: Pick<PlanHead, 'valid_until'>, serviceMs: number) {
  return !(serviceMs < Date.parse(until));
}

function hoursText(ms: number): string {
  return `${Math.round(ms / 360_000) / 10} h`;
}

export function planFailure({ batch }: PlanHead, { code, plan, here }: PlanRefusal): Failure {
  const [field, clause, nextStep = '']: HeadRefusal = HEAD_REFUSALS[code];
  const text = `The plan of batch ${batch} ${clause(escapeText(plan), escapeText(here))}. Nothing was sent.${nextStep}`;
  return new Failure('unsafe', text, { code, details: [{ field, code, extraMembers: { plan, here } }] });
}

type HeadRefusal = readonly [keyof PlanHead, (plan: string, here: string) => string, string?];

const HEAD_REFUSALS = {
  plan_other_environment: [
    'environment',
    (plan, here) => `is for the ${plan} environment, but this command goes to the ${here} environment`,
  ],
  plan_other_address: ['address', (plan, here) => `is for ${plan}, but this command goes to ${here}`],
  time_unknown: [
    'valid_until',
    (plan) => `is valid until ${plan}, and the service does not say what time it is`,
    ' Run this again later.',
  ],
  plan_from_future: ['made_at', (plan, here) => `was made at ${plan}, but it is only ${here}`],
  approval_expired: [
    'valid_until',
    (plan, here) => `was valid until ${plan}, and it is ${here}`,
    ' Make a new plan.',
  ],
  plan_valid_too_long: [
    'valid_until',
    (plan, here) => `says that it is valid for ${plan}, and here a plan may be valid for ${here} at most`,
    ' Make a new plan.',
  ],
} satisfies Readonly<Record<string, HeadRefusal>>;

export function makerUnsignedFailure(batch: string, maker: string, signers: CountedSigners): Failure {
  const text =
    `The plan of batch ${batch} says that the key ${escapeText(maker)} made it, and svc has no good signature of that key as its maker. ` +
    'Nothing was sent.';
  return new Failure('unsafe', text, { code: 'maker_unsigned', ...uncountedFacts(signers.refused) });
}

export function approvalsMissingFailure(
  { batch, maker }: PlanHead,
  needed: number,
  signers: CountedSigners | null,
  contact: string | null,
): Failure {
  const { approvers = [], refused = [] } = signers ?? {};
  const makerNote = maker === null ? ' (one more than usual, because the plan does not say who made it)' : '';
  const contactText = contact === null ? '' : ` Who decides: ${escapeText(contact)}`;
  const text =
    `The plan of batch ${batch} has ${approvers.length} of ${signaturesNeeded(needed, maker)} approvals${makerNote}. Nothing was sent. Other ` +
    `people approve it with "svc batches approve".${contactText}`;
  return new Failure('unsafe', text, { code: 'approvals_missing', ...uncountedFacts(refused) });
}

function uncountedFacts(refused: CountedSigners['refused']): Pick<FailureFacts, 'items' | 'details'> {
  return {
    items: refused.map(({ file, why }) => `Not counted: ${escapeText(file)}: ${escapeText(why)}`),
    details: [
      { field: 'approvals', code: 'missing' },
      ...refused.map(({ file, why }) => ({ field: file, code: 'not_counted', extraMembers: { why } })),
    ],
  };
}

export function otherPlanFailure(name: string, appliedDigest: string | null, digest: string): Failure {
  if (appliedDigest === null) {
    const text = `Batch ${name} exists, and it was not applied from a plan. Nothing was sent.`;
    return new Failure('unsafe', text, { code: 'batch_differs' });
  }
  const digests = { applied: appliedDigest, plan: digest };
  const message = `Batch ${name} was applied from plan ${shortDigest(appliedDigest)}, and this is plan ${shortDigest(digest)}. Nothing was sent.`;
  return new Failure('unsafe', message, {
    code: 'plan_differs',
    details: [{ field: 'plan', code: 'plan_differs', extraMembers: digests }],
  });
}

export function shortDigest(digest: string): string {
  return digest.slice(0, 12);
}

export function expiredFailure(
  { batch, valid_until: until }: PlanHead,
  unpaid: ReadonlyMap<string, { readonly rows: number; readonly total: string }>,
  code: 'not_sent' | 'failed',
  outcome: SentOutcome = 'not_sent',
): Failure {
  const sums = [...unpaid].map(
    ([currency, { rows, total }]) => `${currency} ${total} in ${counted(rows, 'row')}`,
  );
  const text =
    `The approval of batch ${batch} ended at ${until}. These are not paid, and svc no longer sends them: ${sums.join(', ')}. Make a new plan of these rows` +
    (code === 'failed' ? '.' : '; first, "svc batches drop" removes them from this batch.');
  return new Failure('unsafe', text, {
    ...{ code: 'approval_expired', outcome },
    details: [...unpaid].map(([field, { rows, total }]) => ({ field, code, extraMembers: { rows, total } })),
  });
}
