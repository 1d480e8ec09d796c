import { COUNTS, ROW_STATES } from '../storage/batches/row-state.js';
import type { WorkerState } from '../storage/batches/worker.js';
import type { SkippedPayment, StopFacts, Summary } from './ending.js';
import type { ReviewedPlan } from './approval/review.js';
import type { RefusedSignature, Signer } from './approval/people.js';
import type { PlanCompany, PlanTotal, SkippedPending } from './approval/plan/format.js';
import type { OwnShapeName } from '../command/shape-names.js';
import { arrayOf, type JsonSchema, members, everyOf, nullOr, ref } from '../contract/openapi/json-schema.js';
import {
  describe,
  amount,
  recordOf,
  count,
  countOrNull,
  direction,
  environment,
  flag,
  moment,
  momentOrNull,
  oneOf,
  text,
  textOrNull,
} from '../contract/openapi/words.js';

const perCount = (value: JsonSchema): Record<(typeof COUNTS)[number], JsonSchema> =>
  Object.fromEntries(COUNTS.map((name) => [name, value])) as Record<(typeof COUNTS)[number], JsonSchema>;

const stopFacts = everyOf<StopFacts>({
  by: describe('The machine or pod whose run found it', textOrNull),
  at: momentOrNull,
  reason: oneOf(['signal', 'denied', 'refusals', 'silence', 'older']),
  code: textOrNull,
  detail: textOrNull,
});

const skippedPayment = everyOf<SkippedPayment>({ reference: text, operation: text, status: text });
const skippedPending = arrayOf(everyOf<SkippedPending>({ reference: text, operation: text }));

const SUMMARY: Readonly<Record<keyof Summary, JsonSchema>> = {
  batch: text,
  rows: count,
  ...perCount(count),
  totals: describe('By currency', recordOf(everyOf({ total: amount, ...perCount(amount) }))),
  resume_command: describe('The line that sends what is left; null where nothing is', textOrNull),
  new_since: describe('Payments from before are others', moment),
  states: describe('Rows by state; a state without rows is absent', {
    type: 'object',
    properties: Object.fromEntries(ROW_STATES.map((state) => [state, count])),
  }),
  pending_reasons: describe('Pending rows by their reason', recordOf(count)),
  skipped_pending: describe('Payments for which a plan left rows out, as last seen', arrayOf(skippedPayment)),
  stopped: describe('What stopped all machines that share the batch', stopFacts),
};
const MAY_BE_ABSENT = ['new_since', 'pending_reasons', 'skipped_pending', 'stopped'] as const;

const plan = everyOf({ digest: text, made_by: textOrNull, valid_until: moment, approved_by: arrayOf(text) }, [
  'made_by',
  'valid_until',
]);

const HEAD = { type: direction, environment, address: text, created_at: moment };

const worker = everyOf<WorkerState>({
  name: text,
  since: moment,
  last_seen_s: { type: 'number' },
  rows_in_hand: count,
  state: oneOf(['at_work', 'late', 'ended', 'lost']),
});

const totals = arrayOf(everyOf<PlanTotal>({ currency: text, rows: count, total: amount }));
const digest = describe('The SHA-256 of the plan', { type: 'string', pattern: '^[0-9a-f]{64}$' });

const approvals = everyOf<NonNullable<ReviewedPlan['approvals']>>({
  counted: count,
  needed: describe('What the policy of this machine asks for', countOrNull),
  approvers: arrayOf(everyOf<Signer>({ name: text, fingerprint: text })),
  maker_signed: { type: ['boolean', 'null'] },
  maker_name: textOrNull,
  refused: arrayOf(everyOf<RefusedSignature>({ file: text, code: text, why: text })),
});

const FINDINGS: readonly Readonly<Record<string, JsonSchema>>[] = [
  {
    code: { const: 'account_changed' },
    ...{ reference: text, before: textOrNull, now: textOrNull, account_of: textOrNull },
  },
  { code: { const: 'unusual_amount' }, reference: text, currency: text, amount, most_before: amount },
  { code: { const: 'new_beneficiary' }, reference: text, account_of: textOrNull },
  { code: { const: 'same_account' }, reference: text, other: text },
  { code: { const: 'mixed_letters' }, reference: text, field: oneOf(['name', 'reference']) },
];

export const BATCH_SHAPES = {
  BatchSummary: everyOf<Summary>(SUMMARY, MAY_BE_ABSENT),
  BatchDryRun: everyOf<Summary & { dry_run: true }>({ ...SUMMARY, dry_run: { const: true } }, MAY_BE_ABSENT),
  BatchStatus: members(
    {
      ...SUMMARY,
      ...HEAD,
      file: text,
      file_sha256: text,
      profile: textOrNull,
      plan,
      workers: describe('This member and those below: where machines share the batch', arrayOf(worker)),
      paused_until: momentOrNull,
      stopped: nullOr(stopFacts),
      confirmed_by: textOrNull,
      state: text,
    },
    [
      ...['batch', 'rows', ...COUNTS, 'totals', 'resume_command', 'states'],
      ...[...Object.keys(HEAD), 'file', 'file_sha256', 'profile'],
    ],
  ),
  Batch: everyOf(
    {
      batch: text,
      rows: count,
      ...perCount(count),
      at_work: describe('How many machines send it; where machines share it', count),
      ...{ plan, ...HEAD },
    },
    ['at_work', 'plan'],
  ),
  BatchList: everyOf({ batches: arrayOf(ref('Batch')) }),
  BatchRow: everyOf({
    line: describe('In the file, from 1', count),
    reference: text,
    amount,
    currency: text,
    state: oneOf(ROW_STATES),
    operation_id: describe('Empty where there is none, as the others below', text),
    ...{ operation_created_at: text, code: text, detail: text, sent_at: text, idempotency_key: text },
  }),
  BatchRows: everyOf({ rows: arrayOf(ref('BatchRow')) }),
  BatchDropped: everyOf({ batch: text, rows_dropped: count, batch_removed: flag }),
  BatchForgotten: everyOf({ batch: text, bodies_removed: count, batch_removed: flag }),
  Plan: everyOf(
    {
      ...{ plan: describe('Its file', text), digest, batch: text, environment, type: direction },
      ...{ rows: count, totals, left_out: count, skipped_pending: skippedPending },
      ...{ made_at: moment, valid_until: moment },
      ...{ maker: textOrNull, signature: describe("The file of the maker's signature", textOrNull) },
    },
    ['skipped_pending'],
  ),
  ApprovedPlan: everyOf({ plan: text, digest, batch: text, totals, signature: text, fingerprint: text }),
  PlanReview: everyOf<ReviewedPlan>(
    {
      ...{ plan: text, digest, batch: text, environment, address: text },
      company: nullOr(everyOf<PlanCompany>({ letters: textOrNull, operation: text })),
      ...{ type: direction, since: momentOrNull, rows: count, totals, left_out: count },
      skipped_pending: skippedPending,
      ...{ made_at: moment, valid_until: moment, maker: textOrNull },
      signatures: describe('How many files of signatures stand beside it, good or not', count),
      approvals: nullOr(approvals),
      largest: arrayOf(everyOf({ reference: text, currency: text, amount })),
      compared: describe('With how many earlier plans', count),
      counts: describe('How many findings there are, by code', recordOf(count)),
      findings: arrayOf({ anyOf: FINDINGS.map((finding) => everyOf(finding)) }),
    },
    ['skipped_pending'],
  ),
} satisfies Partial<Readonly<Record<OwnShapeName, JsonSchema>>>;
