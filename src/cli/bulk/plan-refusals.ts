/** Failures for a plan that may not be used: which fact differs, both values, and which signatures do not count. */
import { counted } from '../../contract/on-screen.js';
import type { PlanHead } from '../../guard/plan/spelling.js';
import type { PlanRefusal } from '../../guard/plan/standing.js';
import { signaturesNeeded } from '../../guard/approval/people.js';
import { escapeText } from '../../output/escape.js';
import { Failure, type FailureFacts, type SentOutcome } from '../../runtime/failure.js';
import type { CountedSigners } from './signers.js';

/** The failure for a plan whose head does not fit this command: another environment or address, or wrong times. */
export function planFailure({ batch }: PlanHead, { code, plan, here }: PlanRefusal): Failure {
  const head = `${sentenceOf(`The plan of batch ${batch}`, { code, plan, here })} Nothing was sent.${NEXT_STEPS[code]}`;
  return new Failure('unsafe', head, {
    ...{ code, outcome: 'not_sent' },
    details: [{ field: PLAN_FIELDS[code], code, extraMembers: { plan, here } }],
  });
}

const PLAN_FIELDS: Readonly<Record<PlanRefusal['code'], string>> = {
  plan_other_environment: 'environment',
  plan_other_address: 'address',
  time_unknown: 'valid_until',
  plan_from_future: 'made_at',
  approval_expired: 'valid_until',
  plan_valid_too_long: 'valid_until',
};

const NEXT_STEPS: Readonly<Record<PlanRefusal['code'], string>> = {
  plan_other_environment: '',
  plan_other_address: '',
  time_unknown: ' Run this again later.',
  plan_from_future: '',
  approval_expired: ' Make a new plan.',
  plan_valid_too_long: ' Make a new plan.',
};

function sentenceOf(what: string, { code, plan, here }: PlanRefusal): string {
  const [is, now] = [escapeText(plan), escapeText(here)];
  switch (code) {
    case 'plan_other_environment':
      return `${what} is for the ${is} environment, but this command goes to the ${now} environment.`;
    case 'plan_other_address':
      return `${what} is for ${is}, but this command goes to ${now}.`;
    case 'time_unknown':
      return `${what} is valid until ${is}, and the service does not say what time it is.`;
    case 'plan_from_future':
      return `${what} was made at ${is}, but it is only ${now}.`;
    case 'approval_expired':
      return `${what} was valid until ${is}, and it is ${now}.`;
    case 'plan_valid_too_long':
      return `${what} says that it is valid for ${is}, and here a plan may be valid for ${now} at most.`;
  }
}

/** The failure for a plan without a good signature of the maker that it names. */
export function makerUnsignedFailure({ batch, maker }: PlanHead, counted: CountedSigners): Failure {
  return new Failure(
    'unsafe',
    `The plan of batch ${batch} says that the key ${escapeText(maker ?? '')} made it, and svc has no good signature of that key as its ` +
      `maker. Nothing was sent.`,
    { code: 'maker_unsigned', outcome: 'not_sent', ...uncountedFacts(counted) },
  );
}

/** The failure for a plan that too few people have approved. @param needed how many people have to approve */
export function approvalsMissingFailure(
  { batch, maker }: PlanHead,
  needed: number,
  counted: CountedSigners | null,
  contact: string | null,
): Failure {
  const neededSignatures = signaturesNeeded(needed, maker);
  const approverCount = counted?.approvers.length ?? 0;
  const makerNote = maker === null ? ' (one more than usual, because the plan does not say who made it)' : '';
  const contactText = contact === null ? '' : ` Who decides: ${escapeText(contact)}`;
  return new Failure(
    'unsafe',
    `The plan of batch ${batch} has ${approverCount} of ${neededSignatures} approvals${makerNote}. Nothing was sent. Other people approve it with "svc batches ` +
      `approve".${contactText}`,
    { code: 'approvals_missing', outcome: 'not_sent', ...uncountedFacts(counted) },
  );
}

function uncountedFacts(counted: CountedSigners | null): Pick<FailureFacts, 'items' | 'details'> {
  const refused = counted?.refused ?? [];
  return {
    items: refused.map(({ file, why }) => `Not counted: ${escapeText(file)}: ${escapeText(why)}`),
    details: [
      { field: 'approvals', code: 'missing' },
      ...refused.map(({ file, why }) => ({ field: file, code: 'not_counted', more: { why } })),
    ],
  };
}

/** The failure for a batch name that another plan already uses. @param there digest of the applied plan @param here digest of this plan */
export function planDiffersFailure(name: string, there: string, here: string): Failure {
  return new Failure(
    'unsafe',
    `Batch ${name} was applied from plan ${shortDigest(there)}, and this is plan ${shortDigest(here)}. Nothing was sent.`,
    {
      ...{ code: 'plan_differs', outcome: 'not_sent' },
      details: [{ field: 'plan', code: 'plan_differs', extraMembers: { applied: there, plan: here } }],
    },
  );
}

/** Returns the 12 digits by which people compare plans. */
export function shortDigest(digest: string): string {
  return digest.slice(0, 12);
}

/**
 * The failure for rows that the expired approval no longer covers.
 * @param unpaid rows and money that were not paid, by currency
 * @param code `failed` for rows that were sent and failed
 * @param outcome `sent` at the end of a run that sent something
 */
export function expiredFailure(
  { batch, valid_until: until }: PlanHead,
  unpaid: ReadonlyMap<string, { readonly rows: number; readonly total: string }>,
  code: 'not_sent' | 'failed' = 'not_sent',
  outcome: SentOutcome = 'not_sent',
): Failure {
  const sums = [...unpaid].map(
    ([currency, { rows, total }]) => `${currency} ${total} in ${counted(rows, 'row')}`,
  );
  return new Failure(
    'unsafe',
    `The approval of batch ${batch} ended at ${until}. These are not paid, and svc no longer sends them: ${sums.join(', ')}. Make a new plan of these rows` +
      (code === 'failed' ? '.' : '; first, "svc batches drop" removes them from this batch.'),
    {
      ...{ code: 'approval_expired', outcome },
      details: [...unpaid].map(([currency, { rows, total }]) => ({
        field: currency,
        code,
        more: { rows, total },
      })),
    },
  );
}
