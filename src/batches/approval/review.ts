import { accountTail } from '../../contract/marks.js';
import { fromMinor } from '../../contract/money.js';
import { type Direction, partyOf } from '../../contract/operation.js';
import { isObject } from '../../contract/shape.js';
import { TextTable } from './text-table.js';
import type { PlanRow } from './plan/read.js';
import { signaturesNeeded } from './people.js';
import { openTogether } from '../../runtime/disposal.js';
import type { Ports } from '../../runtime/ports.js';
import { readPolicyFile, policyStateOf } from '../../session/guard/read-policy.js';
import { type OpenPlan, readPlanFile, openPlan } from './open-plan.js';
import { findSignatures } from './signature-files.js';
import { countSigners } from './verify.js';

/** `before` and `now` are the last four characters of an account. */
export type ReviewFinding = { readonly reference: string } & (
  | ({ readonly code: 'account_changed' } & Readonly<Record<'before' | 'now' | 'account_of', string | null>>)
  | ({ readonly code: 'unusual_amount' } & Readonly<Record<'currency' | 'amount' | 'most_before', string>>)
  | { readonly code: 'new_beneficiary'; readonly account_of: string | null }
  | { readonly code: 'same_account'; readonly other: string }
  | { readonly code: 'mixed_letters'; readonly field: 'name' | 'reference' }
);

export interface ReviewFlags {
  readonly against?: readonly string[] | undefined;
  readonly signers?: string | undefined;
}

type ReviewPorts = Pick<Ports, 'random' | 'machine' | 'clock'>;

export async function openReview(path: string, flags: ReviewFlags, ports: ReviewPorts) {
  const earlierPlans = new EarlierPlans();
  for (const oldPath of flags.against ?? []) {
    await readPlanFile(oldPath, (row) => earlierPlans.add(row));
    earlierPlans.planCount += 1;
  }
  const rowReview = new PlanReview(earlierPlans);
  return openTogether(async (use) => {
    const plan = use(await openPlan(path, ports, (row) => rowReview.add(row)));
    const { batch, environment, address, company, direction, since, rows, totals } = plan.head;
    const { left_out, skipped_pending, made_at, valid_until, maker } = plan.head;
    const files = findSignatures(path);
    const { largest, counts, findings } = rowReview;
    const review = {
      ...{ plan: path, digest: plan.digest, batch, environment, address, company, type: direction },
      ...{ since, rows, totals, left_out, made_at, valid_until, maker },
      ...(skipped_pending === undefined ? {} : { skipped_pending }),
      signatures: files.signatures.length + files.refused.length,
      approvals: await approvalsOf(plan, files, flags, ports),
      largest: largest.map(({ reference, currency, amount }) => ({ reference, currency, amount })),
      compared: earlierPlans.planCount,
      counts: Object.fromEntries(counts),
      findings,
    };
    return { review, plan };
  });
}

export type ReviewedPlan = Awaited<ReturnType<typeof openReview>>['review'];

async function approvalsOf(
  plan: OpenPlan,
  { signatures, refused }: ReturnType<typeof findSignatures>,
  flags: ReviewFlags,
  { machine, clock }: ReviewPorts,
) {
  const { maker, direction } = plan.head;
  const state = await policyStateOf(readPolicyFile(machine));
  const policy = state.kind === 'policy' ? state.policy : null;
  const required = policy?.[`${direction}s`].approvals ?? 0;
  const trustedPath = required === 0 ? undefined : policy?.approvals.signers;
  const path = flags.signers ?? trustedPath;
  if (path === undefined) return null;
  const signers = { path, isTrusted: flags.signers === undefined, serviceMs: clock.now() };
  const people = await countSigners(plan, signatures, signers, { machine });
  return {
    counted: people.approvers.length,
    needed: required === 0 ? null : signaturesNeeded(required, maker),
    approvers: people.approvers,
    maker_signed: maker === null ? null : people.maker !== null,
    maker_name: people.maker?.name ?? null,
    refused: [...refused, ...people.refused],
  };
}

const FINDINGS_MAX = 1000;
const LARGEST_MAX = 5;

class EarlierPlans {
  planCount = 0;
  readonly #people = new TextTable();
  readonly #accounts = new TextTable();
  readonly #owners: number[] = [];
  readonly #references: string[] = [];
  readonly #lastAccounts: number[] = [];
  readonly #tails: number[] = [];
  readonly #mostPaid: PaidAmount[] = [];
  readonly #otherAccounts = new Set<string>();
  readonly #otherMostPaid = new Map<string, PaidAmount>();
  readonly #amounts = new Map<string, PaidAmount>();

  add(row: PlanRow): void {
    const { person: personKey, account: accountKey } = payeeIn(row);
    const person = this.#people.add(personKey);
    const account = this.#accounts.add(accountKey);
    this.#owners[account] = person;
    const lastAccount = this.#lastAccounts[person];
    if (lastAccount !== undefined && lastAccount !== account)
      this.#otherAccounts.add(`${person} ${lastAccount}`);
    this.#lastAccounts[person] = account;
    this.#references[person] = row.reference;
    const tail = tailIn(row);
    this.#tails[person] = tail === null ? 0 : Number.parseInt(`1${tail}`, TAIL_BASE);
    const { currency, minor, decimals } = row;
    const most = this.#mostOf(person, currency);
    if (most !== undefined && !isMore(row, most)) return;
    const amountKey = `${currency} ${row.amount}`;
    const paidAmount = this.#amounts.get(amountKey) ?? { currency, minor, decimals };
    this.#amounts.set(amountKey, paidAmount);
    if ((this.#mostPaid[person]?.currency ?? currency) === currency) this.#mostPaid[person] = paidAmount;
    else this.#otherMostPaid.set(`${person} ${currency}`, paidAmount);
  }

  #mostOf(person: number, currency: string): PaidAmount | undefined {
    const most = this.#mostPaid[person];
    return most?.currency === currency ? most : this.#otherMostPaid.get(`${person} ${currency}`);
  }

  findingsOf(row: PlanRow): readonly ReviewFinding[] {
    if (this.planCount === 0) return [];
    const { reference, currency, amount } = row;
    const { person: personKey, account: accountKey } = payeeIn(row);
    const [person, account] = [this.#people.find(personKey), this.#accounts.find(accountKey)];
    const owner = account === -1 ? person : (this.#owners[account] ?? person);
    const account_of = owner === person ? null : (this.#references[owner] ?? null);
    if (person === -1) return [{ code: 'new_beneficiary', reference, account_of }];
    const findings: ReviewFinding[] = [];
    if (account !== this.#lastAccounts[person] && !this.#otherAccounts.has(`${person} ${account}`)) {
      const tail = this.#tails[person] ?? 0;
      const [before, now] = [tail === 0 ? null : tail.toString(TAIL_BASE).slice(1), tailIn(row)];
      findings.push({ code: 'account_changed', reference, before, now, account_of });
    }
    const mostPaid = this.#mostOf(person, currency);
    if (mostPaid !== undefined && isMore(row, mostPaid, 2n, 3n)) {
      const most_before = fromMinor(mostPaid.minor, mostPaid.decimals);
      findings.push({ code: 'unusual_amount', reference, currency, amount, most_before });
    }
    return findings;
  }
}

type Amount = Pick<PlanRow, 'minor' | 'decimals'>;
type PaidAmount = Amount & Pick<PlanRow, 'currency'>;

const TAIL_BASE = 36;

export class PlanReview {
  readonly largest: PlanRow[] = [];
  readonly counts = new Map<ReviewFinding['code'], number>();
  readonly findings: ReviewFinding[] = [];
  readonly #accounts = new TextTable();
  readonly #references: string[] = [];

  constructor(readonly earlierPlans: EarlierPlans) {}

  add(row: PlanRow): void {
    const { reference } = row;
    for (const finding of this.earlierPlans.findingsOf(row)) this.#report(finding);
    const { account } = payeeIn(row);
    const firstReference = (this.#references[this.#accounts.add(account)] ??= reference);
    if (firstReference !== reference)
      this.#report({ code: 'same_account', reference: firstReference, other: reference });
    if (mixesScripts(reference)) this.#report({ code: 'mixed_letters', reference, field: 'reference' });
    const name = partyIn(row)['name'];
    if (typeof name === 'string' && mixesScripts(name))
      this.#report({ code: 'mixed_letters', reference, field: 'name' });
    const last = this.largest.at(-1);
    if (this.largest.length === LARGEST_MAX && last !== undefined && !isMore(row, last)) return;
    this.largest.push(row);
    this.largest.sort((one, other) => (isMore(one, other) ? -1 : isMore(other, one) ? 1 : 0));
    this.largest.splice(LARGEST_MAX);
  }

  #report(finding: ReviewFinding): void {
    const count = (this.counts.get(finding.code) ?? 0) + 1;
    this.counts.set(finding.code, count);
    if (count <= FINDINGS_MAX) this.findings.push(finding);
  }
}

function isMore(one: Amount, other: Amount, times = 1n, timesOther = 1n): boolean {
  const scale = Math.max(one.decimals, other.decimals);
  const scaled = ({ minor, decimals }: Amount): bigint => minor * 10n ** BigInt(scale - decimals);
  return scaled(one) * times > scaled(other) * timesOther;
}

function partyIn({ body }: PlanRow): Readonly<Record<string, unknown>> {
  const party = body[partyOf(directionIn(body))];
  return isObject(party) ? party : {};
}

function directionIn(body: PlanRow['body']): Direction {
  return body[partyOf('payin')] === undefined ? 'payout' : 'payin';
}

function tailIn({ body }: PlanRow): string | null {
  return accountTail(body, directionIn(body));
}

function payeeIn(row: PlanRow): { readonly person: string; readonly account: string } {
  const party = partyIn(row);
  const { document, bank_code, account_number, phone } = party;
  const { type, number } = isObject(document) ? document : {};
  const hasDocument = typeof number === 'string' && number !== '';
  const person = hasDocument ? `${textOf(type)}-${number}` : `reference ${row.folded}`;
  return { person, account: `${textOf(bank_code)}/${textOf(account_number) || textOf(phone)}` };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;
const SCRIPTS = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u];

function mixesScripts(text: string): boolean {
  if (PRINTABLE_ASCII.test(text)) return false;
  return SCRIPTS.filter((script) => script.test(text.normalize('NFKC'))).length > 1;
}
