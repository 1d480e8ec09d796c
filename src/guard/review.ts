/** What somebody looks at before they approve a plan: what is other than in earlier plans, and what a person overlooks. Pure. */
import { accountTail } from '../contract/marks.js';
import { fromMinor } from '../contract/money.js';
import { type Direction, partyOf } from '../contract/operation.js';
import { isObject } from '../contract/shape.js';
import { TextTable } from './text-table.js';
import type { PlanRow } from './plan/row.js';

/** The same of accounts are their last four characters; null where there is none. */
export type ReviewFinding =
  | {
      readonly code: 'account_changed';
      readonly reference: string;
      readonly before: string | null;
      readonly now: string | null;
      /** Who was paid there before, by reference; null where nobody was. */
      readonly account_of: string | null;
    }
  /** More than half as much again as ever before. */
  | {
      readonly code: 'unusual_amount';
      readonly reference: string;
      readonly currency: string;
      readonly amount: string;
      readonly most_before: string;
    }
  | { readonly code: 'new_beneficiary'; readonly reference: string; readonly account_of: string | null }
  /** Two rows of the plan. */
  | { readonly code: 'same_account'; readonly reference: string; readonly other: string }
  /** Letters of two scripts that look alike. */
  | { readonly code: 'mixed_letters'; readonly reference: string; readonly field: 'name' | 'reference' };

type FindingCode = ReviewFinding['code'];

/** So many of each kind are told; all are counted. */
const TOLD_MAX = 1000;
const LARGEST = 5;

/** What earlier plans paid to whom. Each person is a number; of hundreds of thousands all of it fits into little memory. */
export class EarlierPlans {
  plans = 0;
  readonly #people = new TextTable();
  readonly #accounts = new TextTable();
  /** By account: the person who was paid there last. */
  readonly #owners: number[] = [];
  /** By person. */
  readonly #references: string[] = [];
  readonly #last: number[] = [];
  readonly #tails: number[] = [];
  #most = new BigInt64Array(BEGIN);
  readonly #mostIn: number[] = [];
  /** Currencies with their decimals: a few. */
  readonly #kinds: Omit<Paid, 'minor'>[] = [];
  /** Of those who had several: `PERSON ACCOUNT`, as numbers, and by `PERSON CURRENCY`. */
  readonly #more = new Set<string>();
  readonly #otherMost = new Map<string, Paid>();

  add(row: PlanRow): void {
    const { person: name, account: place } = whoIn(row);
    const person = this.#people.add(name);
    const account = this.#accounts.add(place);
    this.#owners[account] = person;
    const last = this.#last[person];
    if (last !== undefined && last !== account) this.#more.add(`${person} ${last}`);
    this.#last[person] = account;
    this.#references[person] = row.reference;
    this.#tails[person] = packed(tailIn(row));
    this.#learnMost(person, row);
  }

  #learnMost(person: number, { currency, minor, decimals }: Paid): void {
    const paid = { currency, minor, decimals };
    const most = this.#mostOf(person, currency);
    if (most !== undefined && !isMore(paid, most, 1n, 1n)) return;
    const first = this.#kinds[this.#mostIn[person] ?? -1];
    if (first !== undefined && first.currency !== currency) {
      this.#otherMost.set(`${person} ${currency}`, paid);
      return;
    }
    const isIt = (kind: Omit<Paid, 'minor'>): boolean =>
      kind.currency === currency && kind.decimals === decimals;
    if (!this.#kinds.some(isIt)) this.#kinds.push({ currency, decimals });
    this.#mostIn[person] = this.#kinds.findIndex(isIt);
    if (person >= this.#most.length) {
      const longer = new BigInt64Array(this.#most.length * 2);
      longer.set(this.#most);
      this.#most = longer;
    }
    this.#most[person] = minor;
  }

  #mostOf(person: number, currency: string): Paid | undefined {
    const kind = this.#kinds[this.#mostIn[person] ?? -1];
    if (kind?.currency !== currency) return this.#otherMost.get(`${person} ${currency}`);
    return { ...kind, minor: this.#most[person] ?? 0n };
  }

  /** What is other than before; nothing where no earlier plan was given. */
  findingsOf(row: PlanRow): readonly ReviewFinding[] {
    if (this.plans === 0) return [];
    const { reference, currency, amount } = row;
    const { person: name, account: place } = whoIn(row);
    const [person, account] = [this.#people.find(name), this.#accounts.find(place)];
    const owner = account === -1 ? person : (this.#owners[account] ?? person);
    const account_of = owner === person ? null : (this.#references[owner] ?? null);
    if (person === -1) return [{ code: 'new_beneficiary', reference, account_of }];
    const found: ReviewFinding[] = [];
    if (account !== this.#last[person] && !this.#more.has(`${person} ${account}`)) {
      const [before, now] = [unpacked(this.#tails[person]), tailIn(row)];
      found.push({ code: 'account_changed', reference, before, now, account_of });
    }
    const most = this.#mostOf(person, currency);
    if (most !== undefined && isMore(row, most, 2n, 3n)) {
      const most_before = fromMinor(most.minor, most.decimals);
      found.push({ code: 'unusual_amount', reference, currency, amount, most_before });
    }
    return found;
  }
}

type Paid = Pick<PlanRow, 'currency' | 'minor' | 'decimals'>;

const BEGIN = 1024;
/** Four letters or digits as a number, with a digit before them; 0 for none. */
const BASE = 36;

function packed(tail: string | null): number {
  return tail === null ? 0 : Number.parseInt(`1${tail}`, BASE);
}

function unpacked(tail = 0): string | null {
  return tail === 0 ? null : tail.toString(BASE).slice(1);
}

export class PlanReview {
  /** The greatest first; of two currencies nobody knows which is more: by their numbers. */
  readonly largest: PlanRow[] = [];
  readonly counts = new Map<FindingCode, number>();
  readonly findings: ReviewFinding[] = [];
  readonly #accounts = new TextTable();
  /** By account: who is paid there first. */
  readonly #references: string[] = [];

  constructor(readonly earlier: EarlierPlans) {}

  add(row: PlanRow): void {
    const { reference } = row;
    for (const finding of this.earlier.findingsOf(row)) this.#tell(finding);
    const { account } = whoIn(row);
    const first = (this.#references[this.#accounts.add(account)] ??= reference);
    if (first !== reference) this.#tell({ code: 'same_account', reference: first, other: reference });
    if (isMixed(reference)) this.#tell({ code: 'mixed_letters', reference, field: 'reference' });
    const name = partyIn(row)['name'];
    if (typeof name === 'string' && isMixed(name))
      this.#tell({ code: 'mixed_letters', reference, field: 'name' });
    this.#enlarge(row);
  }

  #tell(finding: ReviewFinding): void {
    const count = (this.counts.get(finding.code) ?? 0) + 1;
    this.counts.set(finding.code, count);
    if (count <= TOLD_MAX) this.findings.push(finding);
  }

  #enlarge(row: PlanRow): void {
    const last = this.largest.at(-1);
    if (this.largest.length === LARGEST && last !== undefined && !isMore(row, last, 1n, 1n)) return;
    this.largest.push(row);
    this.largest.sort((one, other) => (isMore(one, other, 1n, 1n) ? -1 : isMore(other, one, 1n, 1n) ? 1 : 0));
    this.largest.splice(LARGEST);
  }
}

type Amount = Pick<PlanRow, 'minor' | 'decimals'>;

/** Whether so many times the one is more than so many times the other. */
function isMore(one: Amount, other: Amount, times: bigint, timesOther: bigint): boolean {
  const scale = Math.max(one.decimals, other.decimals);
  const scaled = ({ minor, decimals }: Amount): bigint => minor * 10n ** BigInt(scale - decimals);
  return scaled(one) * times > scaled(other) * timesOther;
}

function partyIn({ body }: PlanRow): Readonly<Record<string, unknown>> {
  const party = body[partyOf(directionIn(body))];
  return isObject(party) ? party : {};
}

/** Of a body, whatever its plan says. */
function directionIn(body: PlanRow['body']): Direction {
  return body[partyOf('payin')] === undefined ? 'payout' : 'payin';
}

function tailIn({ body }: PlanRow): string | null {
  return accountTail(body, directionIn(body));
}

/** By document where there is one, else by reference; the account with its bank. */
function whoIn(row: PlanRow): { readonly person: string; readonly account: string } {
  const party = partyIn(row);
  const { document, bank_code, account_number, phone } = party;
  const { type, number } = isObject(document) ? document : {};
  const isKnown = typeof number === 'string' && number !== '';
  const person = isKnown ? `${textOf(type)}-${number}` : `reference ${row.folded}`;
  return { person, account: `${textOf(bank_code)}/${textOf(account_number) || textOf(phone)}` };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

const PLAIN = /^[\x20-\x7e]*$/;
const SCRIPTS = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u];

/** Latin letters beside Cyrillic or Greek ones: one may stand for another that looks like it. */
function isMixed(text: string): boolean {
  if (PLAIN.test(text)) return false;
  return SCRIPTS.filter((script) => script.test(text.normalize('NFKC'))).length > 1;
}
