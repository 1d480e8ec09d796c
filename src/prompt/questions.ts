/** What the dialogue asks: the fields that the catalog declares for the chosen method, each with its check (section 2.5). Pure. */
import type { Bank, Capabilities, FieldDescriptor, MethodEntry } from '../contract/catalog.js';
import { checkAmount } from '../contract/check.js';
import { checkFields } from '../contract/fields.js';
import type { State } from './dialogue.js';
import type { Answers } from './port.js';

export interface Option {
  readonly value: string;
  readonly label: string;
}

export interface Question {
  readonly path: string;
  readonly label: string;
  /** Null for a text. */
  readonly options: readonly Option[] | null;
  readonly example: string | null;
  /** What a right answer looks like, in words. */
  readonly rule: string;
  /** True where the answer is one the service would take. */
  readonly accepts: (value: string) => boolean;
}

type Form = Pick<State, 'setting' | 'answers' | 'banks'>;

/** The questions in their order; they depend on the answers before them. */
export function questionsOf({ setting, answers, banks }: Form): Question[] {
  const { catalog, asked } = setting;
  if (catalog === null) return [];
  const entry = entryOf(catalog, answers);
  const places = ['country', 'currency', 'method'].filter((path) => asked.includes(path));
  const list = banks !== null && banks.of === banksOf(answers) ? banks.list : [];
  return [
    ...places.map((path) => placeQuestion(path, catalog, answers)),
    ...(entry === null ? [] : [amountQuestion(catalog, entry)]),
    ...fieldsOf(entry, answers).map((field) => fieldQuestion(field, list)),
  ];
}

/** The entry of the catalog that the answers point to, or null. */
export function entryOf(catalog: Capabilities, answers: Answers): MethodEntry | null {
  return entriesOf(catalog, answers).find(({ code }) => code === answers['method']) ?? null;
}

/** Which banks the answers need: a name for their country and method, or null where it is not known yet. */
export function banksOf({ country, method }: Answers): string | null {
  return country === undefined || method === undefined ? null : `${country} ${method}`;
}

/** The options that pass what was typed, by code or by any part of the name, accents aside. */
export function matching(options: readonly Option[], typed: string): readonly Option[] {
  const wanted = plain(typed.trim());
  return options.filter(({ value, label }) => plain(`${value} ${label}`).includes(wanted));
}

function plain(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

function entriesOf(catalog: Capabilities, { country, currency }: Answers): MethodEntry[] {
  const isMeant = (wanted: string | undefined, actual: string): boolean =>
    wanted === undefined || wanted.toUpperCase() === actual;
  return catalog.countries
    .filter(({ code }) => isMeant(country, code))
    .flatMap(({ payin_methods: methods }) => methods)
    .filter((entry) => isMeant(currency, entry.currency) && entry.availability === 'available');
}

function placeQuestion(path: string, catalog: Capabilities, answers: Answers): Question {
  const of = (known: Answers): MethodEntry[] =>
    entriesOf(catalog, known).filter(
      ({ code }) => path === 'method' || answers['method'] === undefined || code === answers['method'],
    );
  const { country, currency } = answers;
  const place = country === undefined ? {} : { country };
  const options =
    path === 'country'
      ? distinct(of({}).map((entry) => entry.country)).map((code) => ({
          value: code,
          label: catalog.countries.find((candidate) => candidate.code === code)?.name ?? code,
        }))
      : path === 'currency'
        ? distinct(of(place).map((entry) => entry.currency)).map((code) => ({ value: code, label: '' }))
        : of({ ...place, ...(currency === undefined ? {} : { currency }) }).map(({ code, name }) => ({
            value: code,
            label: name,
          }));
  const label = path.charAt(0).toUpperCase() + path.slice(1);
  return choice(path, label, options);
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)];
}

function choice(path: string, label: string, options: readonly Option[]): Question {
  const accepts = (value: string): boolean => options.some((option) => option.value === value);
  return { path, label, options, example: null, rule: 'one of the list', accepts };
}

function amountQuestion(catalog: Capabilities, entry: MethodEntry): Question {
  const country = catalog.countries.find(({ code }) => code === entry.country);
  const decimals = country?.currencies.find(({ code }) => code === entry.currency)?.decimals ?? 0;
  const { min_amount: min, max_amount: max, currency } = entry;
  const range = max === null ? `at least ${min}` : `${min} to ${max}`;
  return {
    path: 'amount',
    label: `Amount in ${currency}`,
    options: null,
    example: min,
    rule: `${range}, ${decimals === 0 ? 'no decimals' : `a point and up to ${String(decimals)} decimals`}`,
    accepts: (value) => checkAmount(value, entry, decimals) === null,
  };
}

/** Every required field, and the optional ones that were given. */
function fieldsOf(entry: MethodEntry | null, answers: Answers): readonly FieldDescriptor[] {
  return (entry?.fields ?? []).filter(
    ({ name, required }) => required || answers[`payer.${name}`] !== undefined,
  );
}

function fieldQuestion(field: FieldDescriptor, banks: readonly Bank[]): Question {
  const path = `payer.${field.name}`;
  const label = labelOf(field.name);
  if (field.name === 'bank_code' && banks.length > 0) {
    return choice(
      path,
      label,
      banks.map(({ code, name }) => ({ value: code, label: name })),
    );
  }
  const accepts = (value: string): boolean =>
    checkFields('payer', nested(field.name.split('.'), value), [field]).length === 0;
  if (field.enum !== undefined) {
    const options = field.enum.map((value) => ({ value, label: '' }));
    return { ...choice(path, label, options), accepts };
  }
  const example = field.example ?? null;
  const rule = field.type === 'date' ? 'a day such as 2026-01-31' : (field.pattern ?? 'not empty');
  return { path, label, options: null, example, rule: example === null ? rule : `like ${example}`, accepts };
}

const LABELS: Readonly<Record<string, string>> = { bank_code: 'Bank', 'document.type': 'Document type' };

function labelOf(name: string): string {
  const words = LABELS[name] ?? name.replaceAll(/[._]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function nested(path: readonly string[], value: string): unknown {
  const [name, ...rest] = path;
  return name === undefined ? value : { [name]: nested(rest, value) };
}
