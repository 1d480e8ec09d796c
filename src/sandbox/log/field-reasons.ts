/** Says why a create was refused: the value of each field, and what schema and catalog allow there. Pure. */
import { fieldUse } from '../../contract/body-fields.js';
import type { MethodEntry } from '../../contract/catalog.js';
import { locateMethod } from '../../contract/create.js';
import type { Detail } from '../../contract/errors.js';
import { type Direction, METHOD_CODES, partyOf } from '../../contract/operation.js';
import { banksOf, CAPABILITIES, methodsOf } from '../catalog/catalog.js';
import { type HttpRefusal, reasonOf } from '../message.js';

type Fields = Readonly<Record<string, unknown>>;

/** @param body the object that was sent */
export function whyRefused(direction: Direction, body: Fields, rejection: HttpRefusal): string {
  const { refusal, details = [] } = rejection;
  const entry = found(direction, body)?.entry ?? null;
  const [method, country, currency] = ['method', 'country', 'currency'].map((name) => shown(body[name]));
  switch (refusal) {
    case 'field_required':
    case 'field_invalid':
      return `${details.map((detail) => whyField(detail, { direction, body, entry })).join('; ')}.`;
    case 'amount_out_of_range':
      return `amount is ${shown(body['amount'])}, but ${method} accepts ${bounds(entry)} there (both included).`;
    case 'bank_unsupported': {
      const field = `${partyOf(direction)}.bank_code`;
      const banks = banksOf(String(body['country']), String(body['method']));
      const others =
        'refusal' in banks ? 'no bank does' : `those that do: ${banks.map(({ code }) => code).join(', ')}`;
      return `${field} is ${shown(at(body, field))}, which does not accept ${method} there; ${others}.`;
    }
    case 'country_unsupported':
      return `country is ${country}; the sandbox has ${CAPABILITIES.countries.map(({ code }) => code).join(', ')}.`;
    case 'currency_unsupported': {
      const code = String(body['country']).toUpperCase();
      const place = CAPABILITIES.countries.find((one) => one.code === code);
      const codes = place?.currencies.map((one) => one.code).join(', ') ?? 'none';
      return `currency is ${currency}; that country has ${codes}.`;
    }
    case 'method_unavailable':
      return entry === null
        ? `${method} cannot make a ${direction} in ${country} with ${currency}; ${offered(direction, body)}.`
        : `${method} is disabled there, as the catalog says (availability).`;
    case 'temporarily_unavailable':
      return `${method} is temporarily unavailable there, as the catalog says (availability).`;
    default:
      return reasonOf(rejection);
  }
}

interface About {
  readonly direction: Direction;
  readonly body: Fields;
  /** Null where the body does not say which method it wants. */
  readonly entry: MethodEntry | null;
}

function whyField({ field, code }: Detail, about: About): string {
  const { body, entry, direction } = about;
  if (code === 'required') return `${field} is missing: ${holds(field, about)}`;
  if (code === 'invalid') return `${field} is ${shown(at(body, field))}, but must be ${holds(field, about)}`;
  const party = partyOf(direction);
  const isParty = entry !== null && field.startsWith(`${party}.`);
  const names = entry?.fields.map(({ name }) => name).join(', ') ?? '';
  return `${field} is an unknown field${isParty ? `: ${entry.code} has ${names}` : ''}`;
}

const OWN: Readonly<Record<string, string>> = {
  country: 'two letters (ISO 3166-1), such as "VE"',
  currency: 'three letters (ISO 4217), such as "VES"',
  method: `one of ${METHOD_CODES.join(', ')}`,
  payer: 'an object',
  beneficiary: 'an object',
};

function holds(field: string, { direction, body, entry }: About): string {
  if (field === 'amount') {
    const decimals = found(direction, body)?.decimals ?? null;
    const most =
      decimals === null ? 'no more decimals than its currency has' : `at most ${decimals} decimals`;
    return `a text of digits with ${most}, such as "10${decimals === 0 ? '' : '.00'}"`;
  }
  const name = field.slice(partyOf(direction).length + 1);
  const descriptor = entry?.fields.find((one) => field.includes('.') && one.name === name);
  if (descriptor === undefined) return OWN[field] ?? fieldUse(field) ?? 'a text';
  const { type, enum: values, pattern, example } = descriptor;
  if (values !== undefined) return `one of ${values.join(', ')}`;
  const what = type === 'date' ? 'a date' : 'a text';
  const like = example === undefined ? '' : ` such as ${JSON.stringify(example)}`;
  return `${what}${like}${pattern === undefined ? '' : ` (${pattern})`}`;
}

function found(direction: Direction, { country, currency, method }: Fields) {
  if (typeof country !== 'string' || typeof currency !== 'string' || typeof method !== 'string') return null;
  const located = locateMethod(CAPABILITIES, { country, currency, method, direction });
  return 'refusal' in located ? null : located;
}

function bounds(entry: MethodEntry | null): string {
  if (entry === null) return 'something else';
  const { min_amount: min, max_amount: max, currency } = entry;
  return max === null ? `${min} ${currency} and more` : `${min} to ${max} ${currency}`;
}

function offered(direction: Direction, { country, currency }: Fields): string {
  const there = methodsOf({ country: String(country), direction });
  const codes =
    'refusal' in there ? [] : there.filter((one) => one.currency === String(currency).toUpperCase());
  return `there is ${codes.map(({ code }) => code).join(', ') || 'none'}`;
}

function at(body: Fields, path: string): unknown {
  let value: unknown = body;
  for (const name of path.split('.'))
    value = typeof value === 'object' && value !== null ? (value as Fields)[name] : undefined;
  return value;
}

const SHOWN_MAX = 60;

function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX)}...`;
}
