/** A plan is one line of facts, and then one line for each request body. */
import { canonicalAddress, EMBEDDED_ORIGIN, ENVIRONMENTS } from '../../../contract/access.js';
import { lineOfBody } from '../../../contract/body-line.js';
import { jsonIn } from '../../../contract/json.js';
import { isBatchName, isUuid, momentMs, momentText } from '../../../contract/notation.js';
import { DIRECTIONS } from '../../../contract/operation.js';
import { foldReference, referenceProblem } from '../../../contract/reference.js';
import {
  detailsOf,
  integer,
  isObject,
  list,
  object,
  oneOf,
  optional,
  type Shaped,
  textThat,
} from '../../../contract/shape.js';

const VERSION = 1;

export const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufffd]/u;

const positiveInteger = integer(1, Number.MAX_SAFE_INTEGER);
const moment = textThat((text) => {
  const ms = momentMs(text);
  return ms !== null && momentText(ms) === text;
}, 'a time in UTC');
const operation = textThat((text) => isUuid(text) && text === text.toLowerCase(), 'the id of an operation');
const reference = textThat(
  (text) => referenceProblem(text) === null && foldReference(text) !== '' && !UNSEEN.test(text),
  'a reference',
);

const company = object({
  letters: optional(textThat((text) => /^[^\s\p{C}]{3}$/u.test(text), 'three letters')),
  operation,
});

const total = object({
  currency: textThat((text) => /^[A-Z]{3}$/.test(text), 'a currency'),
  rows: positiveInteger,
  total: textThat((text) => /^[0-9]+([.][0-9]+)?$/.test(text), 'an amount'),
});

const skippedPending = object({ reference, operation });

const shape = object({
  svc_plan: integer(VERSION, VERSION),
  environment: oneOf(ENVIRONMENTS),
  address: textThat(
    (text) => text === EMBEDDED_ORIGIN || (/^https?:\/\//.test(text) && canonicalAddress(text) === text),
    'an address in its one form',
  ),
  company: optional(company),
  direction: oneOf(DIRECTIONS),
  batch: textThat(isBatchName, 'the name of a batch'),
  since: optional(moment),
  rows: positiveInteger,
  totals: list(total),
  left_out: integer(0, Number.MAX_SAFE_INTEGER),
  skipped_pending: optional(list(skippedPending)),
  made_at: moment,
  valid_until: moment,
  maker: optional(textThat((text) => /^SHA256:[A-Za-z0-9+/]{43}$/.test(text), 'the fingerprint of a key')),
});

export type PlanTotal = Shaped<typeof total>;
export type PlanCompany = WithNull<Shaped<typeof company>, 'letters'>;
export type SkippedPending = Shaped<typeof skippedPending>;
export type PlanHead = WithNull<
  Omit<Shaped<typeof shape>, 'company'> & { readonly company: PlanCompany | null },
  'since' | 'maker'
>;

type WithNull<T, Name extends keyof T> = Omit<T, Name> & {
  readonly [Member in Name]-?: NonNullable<T[Member]> | null;
};

export class PlanDamaged extends Error {
  override readonly name = 'PlanDamaged';
  constructor(
    readonly code: 'plan_damaged' | 'plan_newer',
    readonly why: string,
    readonly line: number | null = null,
  ) {
    super(line === null ? why : `line ${line} ${why}`);
  }
}

export function damaged(why: string, line: number | null = null): never {
  throw new PlanDamaged('plan_damaged', why, line);
}

export function headLine(head: PlanHead): string {
  const { environment, address, company, direction, batch, since, rows, totals, left_out } = head;
  const { skipped_pending: skipped, made_at, valid_until, maker } = head;
  return JSON.stringify({
    ...{ svc_plan: VERSION, environment, address },
    company: company === null ? null : { letters: company.letters, operation: company.operation },
    ...{ direction, batch, since, rows },
    totals: totals.map(({ currency, rows, total }) => ({ currency, rows, total })),
    left_out,
    skipped_pending: skipped?.map(({ reference, operation }) => ({ reference, operation })),
    ...{ made_at, valid_until, maker },
  } satisfies PlanHead);
}

export function bodyLine(bytes: Uint8Array): string {
  const written = lineOfBody(bytes);
  return 'line' in written ? written.line : damaged(written.why);
}

export function readHead(line: string): PlanHead {
  const value = jsonIn(line);
  if (!isObject(value) || value['svc_plan'] === undefined) damaged('is not the first line of a plan', 1);
  const version = value['svc_plan'];
  if (Number.isSafeInteger(version) && Number(version) > VERSION)
    throw new PlanDamaged('plan_newer', 'is of a newer version of svc', 1);
  const [detail] = detailsOf(shape, value);
  if (detail !== undefined) damaged(`has no good ${JSON.stringify(detail.field)}`, 1);
  const company = isObject(value['company']) ? { letters: null, ...value['company'] } : null;
  const head = { since: null, maker: null, ...value, company } as unknown as PlanHead;
  if (headLine(head) !== line) damaged('is not in its one spelling', 1);
  const pending = head.skipped_pending?.length;
  if (pending === 0 || (pending ?? 0) > head.left_out) damaged('does not count what it leaves out', 1);
  if (Date.parse(head.valid_until) <= Date.parse(head.made_at)) damaged('ends before it begins', 1);
  return head;
}
