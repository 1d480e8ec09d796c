import { fieldUse } from '../../contract/body-fields.js';
import { locateMethod } from '../../contract/create.js';
import { type Direction, METHOD_CODES, partyOf } from '../../contract/operation.js';
import { banksOf, CAPABILITIES, methodsOf } from '../catalog/catalog.js';
import { type HttpRefusal, reasonOf } from '../message.js';

type Fields = Readonly<Record<string, unknown>>;

export function explainRefusedCreate(direction: Direction, body: Fields, rejection: HttpRefusal): string {
  const { refusal, details = [] } = rejection;
  const target = locate(direction, body);
  const entry = target?.entry ?? null;
  const [method, country, currency] = ['method', 'country', 'currency'].map((name) => excerpt(body[name]));
  switch (refusal) {
    case 'field_required':
    case 'field_invalid': {
      const reasons = details.map(({ field, code }) => {
        const acceptedText = acceptedValue(field, direction, target);
        if (code === 'required') return `${field} is missing: ${acceptedText}`;
        if (code === 'invalid')
          return `${field} is ${excerpt(valueAt(body, field))}, but must be ${acceptedText}`;
        const isParty = entry !== null && field.startsWith(`${partyOf(direction)}.`);
        const namesText = entry?.fields.map(({ name }) => name).join(', ') ?? '';
        return `${field} is an unknown field${isParty ? `: ${entry.code} has ${namesText}` : ''}`;
      });
      return `${reasons.join('; ')}.`;
    }
    case 'amount_out_of_range': {
      const { min_amount: min, max_amount: max, currency: code } = entry ?? {};
      const rangeText = max === null ? `${min} ${code} and more` : `${min} to ${max} ${code}`;
      return `amount is ${excerpt(body['amount'])}, but ${method} accepts ${entry === null ? 'something else' : rangeText} there (both included).`;
    }
    case 'bank_unsupported': {
      const field = `${partyOf(direction)}.bank_code`;
      const banks = banksOf(String(body['country']), String(body['method']));
      const othersText =
        'refusal' in banks ? 'no bank does' : `those that do: ${banks.map(({ code }) => code).join(', ')}`;
      return `${field} is ${excerpt(valueAt(body, field))}, which does not accept ${method} there; ${othersText}.`;
    }
    case 'country_unsupported':
      return `country is ${country}; the sandbox has ${CAPABILITIES.countries.map(({ code }) => code).join(', ')}.`;
    case 'currency_unsupported': {
      const countryCode = String(body['country']).toUpperCase();
      const countryEntry = CAPABILITIES.countries.find((one) => one.code === countryCode);
      const codesText = countryEntry?.currencies.map((one) => one.code).join(', ') ?? 'none';
      return `currency is ${currency}; that country has ${codesText}.`;
    }
    case 'method_unavailable': {
      if (entry !== null) return `${method} is disabled there, as the catalog says (availability).`;
      const methods = methodsOf({ country: String(body['country']), direction });
      const currencyCode = String(body['currency']).toUpperCase();
      const offers = 'refusal' in methods ? [] : methods.filter((one) => one.currency === currencyCode);
      const codesText = offers.map((one) => one.code).join(', ') || 'none';
      return `${method} cannot make a ${direction} in ${country} with ${currency}; there is ${codesText}.`;
    }
    case 'temporarily_unavailable':
      return `${method} is temporarily unavailable there, as the catalog says (availability).`;
    default:
      return reasonOf(rejection);
  }
}

const FIELD_RULES: Readonly<Record<string, string>> = {
  country: 'two letters (ISO 3166-1), such as "VE"',
  currency: 'three letters (ISO 4217), such as "VES"',
  method: `one of ${METHOD_CODES.join(', ')}`,
  payer: 'an object',
  beneficiary: 'an object',
};

function acceptedValue(field: string, direction: Direction, target: ReturnType<typeof locate>): string {
  if (field === 'amount') {
    const decimals = target?.decimals ?? null;
    const decimalsText =
      decimals === null ? 'no more decimals than its currency has' : `at most ${decimals} decimals`;
    return `a text of digits with ${decimalsText}, such as "10${decimals === 0 ? '' : '.00'}"`;
  }
  const name = field.slice(partyOf(direction).length + 1);
  const descriptor = target?.entry.fields.find((one) => field.includes('.') && one.name === name);
  if (descriptor === undefined) return FIELD_RULES[field] ?? fieldUse(field) ?? 'a text';
  const { type, enum: values, pattern, example } = descriptor;
  if (values !== undefined) return `one of ${values.join(', ')}`;
  const what = type === 'date' ? 'a date' : 'a text';
  const exampleText = example === undefined ? '' : ` such as ${JSON.stringify(example)}`;
  return `${what}${exampleText}${pattern === undefined ? '' : ` (${pattern})`}`;
}

function locate(direction: Direction, { country, currency, method }: Fields) {
  if (typeof country !== 'string' || typeof currency !== 'string' || typeof method !== 'string') return null;
  const target = locateMethod(CAPABILITIES, { country, currency, method, direction });
  return 'refusal' in target ? null : target;
}

function valueAt(body: Fields, path: string): unknown {
  let value: unknown = body;
  for (const name of path.split('.'))
    value = typeof value === 'object' && value !== null ? (value as Fields)[name] : undefined;
  return value;
}

const EXCERPT_MAX_CHARACTERS = 60;

function excerpt(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length <= EXCERPT_MAX_CHARACTERS ? text : `${text.slice(0, EXCERPT_MAX_CHARACTERS)}...`;
}
