/** Checks a row against the catalog before anything leaves, and completes what all rows have in common. */
import { fieldsIn } from '../../contract/body-fields.js';
import {
  type Capabilities,
  completeDefaults,
  type Defaults,
  type MethodEntry,
} from '../../contract/catalog.js';
import {
  checkCreate,
  locateMethod,
  type BankRule,
  type Found,
  type Rejection,
} from '../../contract/create.js';
import { ERRORS, type Detail } from '../../contract/errors.js';
import { readPattern } from '../../contract/pattern.js';
import { LIMITS } from '../../contract/limits.js';
import type { Direction } from '../../contract/operation.js';
import { fromMinor, toMinor } from '../../contract/money.js';
import { referenceProblem } from '../../contract/reference.js';

type Body = Readonly<Record<string, unknown>>;

/** What all rows have in common: a row's own value counts first. */
export type Shared = Defaults & Readonly<Record<string, string | undefined>>;

export interface CheckedRow {
  readonly reference: string;
  readonly currency: string;
  /** In one spelling, with the currency's decimals, whatever the file has. */
  readonly amount: string;
  readonly minor: bigint;
  readonly decimals: number;
}

export interface RowFault {
  readonly field: string | null;
  readonly message: string;
}

/** Amounts beyond that are no payment, and their sums would not stay exact everywhere. */
const AMOUNT_MAX_DIGITS = 18;

/** What is unavailable for the moment may be back when the row's turn comes: the service says so then. */
export function withoutAvailability(catalog: Capabilities): Capabilities {
  const isBack = (entry: MethodEntry): MethodEntry =>
    entry.availability === 'temporarily_unavailable' ? { ...entry, availability: 'available' } : entry;
  const countries = catalog.countries.map((country) => ({
    ...country,
    payin_methods: country.payin_methods.map(isBack),
    payout_methods: country.payout_methods.map(isBack),
  }));
  return { ...catalog, countries };
}

/** The members that a row lacks and all rows share, in the order of the body. */
export function missingMembers(
  body: Body,
  shared: Shared,
  catalog: Capabilities,
  direction: Direction,
): Record<string, string> {
  const own = (name: string): string | undefined => (typeof body[name] === 'string' ? body[name] : undefined);
  const method = own('method') ?? shared['method'];
  const given = {
    country: own('country') ?? shared.country,
    currency: own('currency') ?? shared.currency,
    method,
  };
  const place =
    given.country === undefined || given.currency === undefined
      ? completeDefaults(catalog, direction, given)
      : given;
  const all: Shared = { ...shared, country: place.country, currency: place.currency, method };
  const missing = fieldsIn(direction)
    .map(([name]) => [name, all[name]] as const)
    .filter(([name, value]) => body[name] === undefined && value !== undefined);
  return Object.fromEntries(missing) as Record<string, string>;
}

/** Everything that is wrong with a whole body, or what the books need to know of it. */
export function checkRow(
  catalog: Capabilities,
  direction: Direction,
  body: Body,
  supportsBank: BankRule,
): CheckedRow | readonly RowFault[] {
  const { reference, method, amount, currency, metadata } = body;
  if (typeof reference !== 'string' || reference.trim() === '') {
    return [{ field: 'reference', message: 'is missing: every row needs one of its own' }];
  }
  const problem = referenceProblem(reference);
  if (problem !== null) return [{ field: 'reference', message: problem }];
  if (method === 'debit_otp') {
    return [
      {
        field: 'method',
        message: 'debit_otp needs a person with a code for each row; it can not be sent from a file',
      },
    ];
  }
  if (metadata !== undefined && Buffer.byteLength(JSON.stringify(metadata)) > LIMITS.metadataMaxBytes) {
    return [{ field: 'metadata', message: `is larger than ${LIMITS.metadataMaxBytes} bytes` }];
  }
  const verdict = checkCreate(catalog, direction, body, supportsBank);
  if ('refusal' in verdict) return faultsOf(verdict, body, direction, catalog);
  const text = String(amount);
  const minor = toMinor(text, verdict.decimals);
  if (minor === null || String(minor).length > AMOUNT_MAX_DIGITS) {
    return [{ field: 'amount', message: `${text} has too many digits` }];
  }
  return {
    reference,
    currency: String(currency).toUpperCase(),
    amount: fromMinor(minor, verdict.decimals),
    minor,
    decimals: verdict.decimals,
  };
}

function faultsOf(
  { refusal, details = [] }: Rejection,
  body: Body,
  direction: Direction,
  catalog: Capabilities,
): RowFault[] {
  if (details.length === 0) return [{ field: null, message: ERRORS[refusal].meaning }];
  const found = entryOf(body, direction, catalog);
  return details.map((detail) => ({ field: detail.field, message: messageOf(detail, refusal, body, found) }));
}

function entryOf(body: Body, direction: Direction, catalog: Capabilities): Found | null {
  const { country, currency, method } = body;
  if (typeof country !== 'string' || typeof currency !== 'string' || typeof method !== 'string') return null;
  const found = locateMethod(catalog, { country, currency, method, direction });
  return 'refusal' in found ? null : found;
}

function messageOf(
  { field, code }: Detail,
  refusal: Rejection['refusal'],
  body: Body,
  found: Found | null,
): string {
  if (code === 'required') return 'is missing';
  if (code === 'unknown') return 'is not taken by this method';
  const value = field.split('.').reduce<unknown>((inner, name) => (inner as Body | undefined)?.[name], body);
  const shown = typeof value === 'string' ? `${JSON.stringify(value)} ` : '';
  if (refusal === 'amount_out_of_range' && found !== null) {
    const { min_amount: min, max_amount: max } = found.entry;
    return `${shown}is not between ${min} and ${max ?? 'any amount'}`;
  }
  if (refusal !== 'field_invalid' && refusal !== 'field_required')
    return `${shown}is refused: ${ERRORS[refusal].meaning}`;
  if (field === 'amount' && found !== null) {
    return `${shown}is no amount: digits, a decimal point and at most ${found.decimals} decimals`;
  }
  return `${shown}is not valid${hintOf(field, value, found)}`;
}

/** A number that is valid with zeros before it has been through a spreadsheet. */
function hintOf(field: string, value: unknown, found: Found | null): string {
  const name = field.slice(field.indexOf('.') + 1);
  const descriptor = found?.entry.fields.find((candidate) => candidate.name === name);
  const { pattern, example } = descriptor ?? {};
  if (pattern !== undefined && typeof value === 'string' && /^[0-9]+$/.test(value)) {
    const rule = readPattern(pattern);
    const isWhole = [1, 2, 3, 4].some((zeros) => rule?.test('0'.repeat(zeros) + value) === true);
    if (isWhole) return ': its leading zeros are lost; format the column as text';
  }
  return example === undefined ? '' : `; an example: ${example}`;
}
