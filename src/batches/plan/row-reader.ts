import { fieldOf, fieldsIn } from '../../contract/body-fields.js';
import { siblingFields, unknownFieldText } from '../../contract/create-details.js';
import {
  type Capabilities,
  completeDefaults,
  type Defaults,
  type MethodEntry,
  NO_CATALOG,
} from '../../contract/catalog.js';
import {
  type BankRule,
  checkCreate,
  checkWithoutCatalog,
  locateMethod,
  type CatalogMethod,
  type Rejection,
} from '../../contract/create.js';
import { memberAt } from '../../contract/json.js';
import { referenceMark, twinMark } from '../../contract/marks.js';
import { correctIdentifiers } from '../../contract/identifiers.js';
import { setMember } from '../file/columns.js';
import type { FileRow } from '../file/row-file.js';
import { currenciesOf } from '../../sheet/currency.js';
import { excerpt } from '../../sheet/words.js';
import type { Problems } from '../../runtime/problems.js';
import type { BatchFacts } from '../../storage/batches/batch-store.js';
import type { PlannedRow } from '../../storage/batches/row.js';
import { ERRORS, type Detail } from '../../contract/errors.js';
import { readPattern } from '../../contract/pattern.js';
import { LIMITS } from '../../contract/limits.js';
import type { Direction } from '../../contract/operation.js';
import { fromMinor, toMinor } from '../../contract/money.js';
import { enumerated } from '../../contract/on-screen.js';
import { referenceProblem } from '../../contract/reference.js';
import { textIn } from '../../contract/shape.js';

export interface ReadRow extends Omit<PlannedRow, 'follows' | 'generation' | 'key' | 'seal' | 'earlier'> {
  readonly decimals: number;
}

export interface ReadingOptions {
  readonly facts: Pick<BatchFacts, 'direction'>;
  readonly shared: Shared;
  readonly catalog: Capabilities | null;
  readonly supportsBank: BankRule;
  readonly problems: Problems;
  readonly correctionNotes?: Map<string, string>;
}

export function rowReader(options: ReadingOptions): (row: FileRow, number: number) => ReadRow | null {
  const { facts, shared, supportsBank, problems } = options;
  const { direction } = facts;
  const hasCatalog = options.catalog !== null;
  const catalog = withoutAvailability(options.catalog ?? NO_CATALOG);
  const judge = (body: Body): CatalogMethod | Rejection =>
    hasCatalog ? checkCreate(catalog, direction, body, supportsBank) : judgeWithoutCatalog(direction, body);
  const reportedNames = new Set<string>();
  const listedFields = new Set<string>();
  return (row, number) => {
    const missing = missingMembers(row.body, shared, catalog, direction);
    const completeBody: Readonly<Record<string, unknown>> = { ...row.body, ...missing };
    const neededNames = hasCatalog ? METHOD_MEMBERS : (['method'] as const);
    const missingNames = neededNames.filter((name) => completeBody[name] === undefined);
    if (missingNames.some((name) => !reportedNames.has(name))) {
      const flags = missingNames.map((name) => `--${name} ${PLACEHOLDERS[name]}`).join(' ');
      const namesAre = `${enumerated(missingNames, 'and')} ${missingNames.length > 1 ? 'are' : 'is'}`;
      problems.add(row.line, null, `${namesAre} missing; for all rows: ${flags}`);
    }
    for (const name of missingNames) reportedNames.add(name);
    let checked = checkRow(catalog, direction, completeBody, judge);
    // Does not correct an NDJSON row, because its text is sent unchanged.
    const isCorrectable = !('reference' in checked) && row.text === null;
    const textAt = (field: string): string => textIn(completeBody, field);
    const corrections = isCorrectable ? correctIdentifiers(catalog, direction, textAt) : [];
    for (const { field, text, value } of corrections) {
      setMember(row.body, field.split('.'), value);
      const sentence = `Line ${row.line}: ${field} ${JSON.stringify(text)} is sent as ${value}. Other rows are read the same way.`;
      if (options.correctionNotes?.has(field) === false) options.correctionNotes.set(field, sentence);
    }
    if (isCorrectable) checked = checkRow(catalog, direction, completeBody, judge);
    if (!('reference' in checked)) {
      for (const fault of checked) {
        if ('unknownField' in fault) {
          const { unknownField: field } = fault;
          const siblings = siblingFields(field, catalog, direction, completeBody);
          problems.add(row.line, field, unknownFieldText(field, siblings, listedFields), 'whole');
        } else if (!missingNames.some((name) => name === fault.field))
          problems.add(row.line, fault.field, fault.message);
      }
      return null;
    }
    const { sign } = row;
    if (sign !== undefined && currenciesOf(sign)?.includes(checked.currency) === false) {
      problems.add(row.line, 'amount', `${excerpt(sign)} stands beside it, and it is in ${checked.currency}`);
      return null;
    }
    return {
      ...checked,
      number,
      line: row.line,
      body: bodyText(row, { ...missing, amount: checked.amount }),
      referenceMark: referenceMark(checked.reference),
      twinMark: twinMark(completeBody, direction),
    };
  };
}

const PLACEHOLDERS = { country: 'CC', currency: 'CUR', method: 'CODE' } as const;
const METHOD_MEMBERS = Object.keys(PLACEHOLDERS) as readonly (keyof typeof PLACEHOLDERS)[];

export function bodyText({ body, text }: FileRow, additions: Readonly<Record<string, string>>): string {
  if (text === null) return JSON.stringify(inBodyOrder({ ...body, ...additions }));
  const { amount = '', ...missing } = additions;
  if (body['amount'] === amount) return withMembers(text, missing);
  const bytes = Buffer.from(text);
  const range = memberAt(bytes, 'amount');
  if (range === null) throw new Error('a row that was checked has an amount');
  const [before, behind] = [bytes.toString('utf8', 0, range.start), bytes.toString('utf8', range.end)];
  return withMembers(`${before}${JSON.stringify(amount)}${behind}`, missing);
}

function withMembers(text: string, missing: Readonly<Record<string, string>>): string {
  const newMembers = Object.entries(missing).map(
    ([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`,
  );
  if (newMembers.length === 0) return text;
  const beginning = text.slice(0, text.lastIndexOf('}')).trimEnd();
  return `${beginning}${beginning.endsWith('{') ? '' : ','}${newMembers.join(',')}}`;
}

/** Sorts the members, because a repeat under the same key must have the same bytes. */
function inBodyOrder(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const members = Object.entries(body).map(([name, value]) => [fieldOf(name).position, name, value] as const);
  return Object.fromEntries(
    members.sort(([one], [other]) => one - other).map(([, name, value]) => [name, value]),
  );
}

type Body = Readonly<Record<string, unknown>>;

export type Shared = Defaults & Readonly<Record<string, string | undefined>>;

type RowFault =
  { readonly field: string | null; readonly message: string } | { readonly unknownField: string };

/** Longer amounts are refused, because their sum might not be exact. */
const AMOUNT_MAX_DIGITS = 18;

function withoutAvailability(catalog: Capabilities): Capabilities {
  const asAvailable = (entry: MethodEntry): MethodEntry =>
    entry.availability === 'temporarily_unavailable' ? { ...entry, availability: 'available' } : entry;
  const countries = catalog.countries.map((country) => ({
    ...country,
    payin_methods: country.payin_methods.map(asAvailable),
    payout_methods: country.payout_methods.map(asAvailable),
  }));
  return { ...catalog, countries };
}

function judgeWithoutCatalog(direction: Direction, body: Body): Rejection {
  const details = checkWithoutCatalog(direction, body);
  const mayFollow = ({ field, code }: Detail): boolean =>
    code === 'required' && (field === 'country' || field === 'currency');
  return { refusal: 'field_invalid', details: details.filter((detail) => !mayFollow(detail)) };
}

function missingMembers(body: Body, shared: Shared, catalog: Capabilities, direction: Direction) {
  const textFor = (name: string): string | undefined =>
    typeof body[name] === 'string' ? body[name] : shared[name];
  const method = textFor('method');
  const typed = { country: textFor('country'), currency: textFor('currency'), method };
  const isLocated = typed.country !== undefined && typed.currency !== undefined;
  const { country, currency } = isLocated ? typed : completeDefaults(catalog, direction, typed);
  const values: Shared = { ...shared, country, currency, method };
  const missing = fieldsIn(direction)
    .map(([name]) => [name, values[name]] as const)
    .filter(([name, value]) => body[name] === undefined && value !== undefined);
  return Object.fromEntries(missing) as Record<string, string>;
}

function checkRow(
  catalog: Capabilities,
  direction: Direction,
  body: Body,
  judge: (body: Body) => CatalogMethod | Rejection,
): Pick<ReadRow, 'reference' | 'currency' | 'amount' | 'minor' | 'decimals'> | readonly RowFault[] {
  const { reference, method, amount, currency, metadata } = body;
  if (typeof reference !== 'string' || reference.trim() === '')
    return [{ field: 'reference', message: 'is missing: every row needs one of its own' }];
  const problem = referenceProblem(reference);
  if (problem !== null) return [{ field: 'reference', message: problem }];
  if (method === 'debit_otp') {
    const message = 'debit_otp needs a person with a code for each row; it can not be sent from a file';
    return [{ field: 'method', message }];
  }
  if (metadata !== undefined && Buffer.byteLength(JSON.stringify(metadata)) > LIMITS.metadataMaxBytes)
    return [{ field: 'metadata', message: `is larger than ${LIMITS.metadataMaxBytes} bytes` }];
  const verdict = judge(body);
  if ('refusal' in verdict) return faultsOf(verdict, body, direction, catalog);
  const text = String(amount);
  const { decimals } = verdict;
  const minor = toMinor(text, decimals);
  if (minor === null || String(minor).length > AMOUNT_MAX_DIGITS)
    return [{ field: 'amount', message: `${text} has too many digits` }];
  const money = { amount: fromMinor(minor, decimals), minor, decimals };
  return { reference, currency: String(currency).toUpperCase(), ...money };
}

function faultsOf({ refusal, details }: Rejection, body: Body, direction: Direction, catalog: Capabilities) {
  if (details === undefined) return [{ field: null, message: ERRORS[refusal].meaning }];
  const { country, currency, method } = body;
  const isPlaced = typeof country === 'string' && typeof currency === 'string' && typeof method === 'string';
  const located = isPlaced ? locateMethod(catalog, { country, currency, method, direction }) : null;
  const locatedMethod = located === null || 'refusal' in located ? null : located;
  return details.map((detail) =>
    detail.code === 'unknown'
      ? { unknownField: detail.field }
      : { field: detail.field, message: messageOf(detail, refusal, body, locatedMethod) },
  );
}

function messageOf(
  { field, code }: Detail,
  refusal: Rejection['refusal'],
  body: Body,
  method: CatalogMethod | null,
): string {
  if (code === 'required') return 'is missing';
  const value = field.split('.').reduce<unknown>((inner, name) => (inner as Body | undefined)?.[name], body);
  const quotedValue = typeof value === 'string' ? `${JSON.stringify(value)} ` : '';
  if (refusal === 'amount_out_of_range' && method !== null) {
    const { min_amount: min, max_amount: max } = method.entry;
    return `${quotedValue}is not between ${min} and ${max ?? 'any amount'}`;
  }
  if (refusal !== 'field_invalid' && refusal !== 'field_required')
    return `${quotedValue}is refused: ${ERRORS[refusal].meaning}`;
  if (field === 'amount' && method !== null)
    return `${quotedValue}is not a valid amount: use digits, a decimal point and at most ${method.decimals} decimals`;
  return `${quotedValue}is not valid${hintOf(field, value, method)}`;
}

function hintOf(field: string, value: unknown, method: CatalogMethod | null): string {
  const name = field.slice(field.indexOf('.') + 1);
  const descriptor = method?.entry.fields.find((candidate) => candidate.name === name);
  const { pattern, example } = descriptor ?? {};
  if (pattern !== undefined && typeof value === 'string' && /^[0-9]+$/.test(value)) {
    const rule = readPattern(pattern);
    const hasLostZeros = [1, 2, 3, 4].some((zeros) => rule?.test('0'.repeat(zeros) + value) === true);
    if (hasLostZeros) return ': its leading zeros are lost; format the column as text';
  }
  return example === undefined ? '' : `; an example: ${example}`;
}
