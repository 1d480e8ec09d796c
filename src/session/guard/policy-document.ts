import { canonicalAddress } from '../../contract/access.js';
import type { Detail } from '../../contract/errors.js';
import { readDuration } from '../../contract/notation.js';
import {
  detailsOf,
  integer,
  isObject,
  joinPath,
  list,
  object,
  oneOf,
  optional,
  type Shape,
  type Shaped,
  shapeAt,
  textLike,
  textThat,
} from '../../contract/shape.js';
import { DAYS, isTimeZone } from '../../runtime/time-zone.js';

/** No sign, exponent or leading zeros, because every parser must read the amount alike. */
export const PLAIN_AMOUNT = /^(0|[1-9][0-9]{0,17})(\.[0-9]{1,8})?$/;

export interface PolicyProblem {
  readonly field: string;
  readonly code: 'required' | 'unknown' | 'invalid' | 'unreadable' | 'newer';
  readonly sentence: string;
}

const amount = textLike(PLAIN_AMOUNT, 'an amount in quotes, such as "5000.00"');
const VALID_FOR_MAX_MS = 90 * 86_400_000;

const hours = requireOrder(
  object({
    timezone: textThat(isTimeZone, 'the name of a time zone, such as "America/Caracas"'),
    days: atLeastOne(list(oneOf(DAYS)), `a list of at least one of ${DAYS.join(', ')}`),
    from: textLike(/^([01][0-9]|2[0-3]):[0-5][0-9]$/, 'a time of the day, from "00:00" to "23:59"'),
    to: textLike(
      /^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$/,
      'a time of the day that is later than "from", at most "24:00"',
    ),
  }),
);
const allow = oneOf(['read', 'cancel', 'all']);
const method = textLike(/^[A-Za-z0-9_.-]{1,64}$/, 'the code of a method, such as "mobile_payment"');
const methods = atLeastOne(list(method), 'a list of at least one method, such as ["mobile_payment"]');
const limits = { operation_max: optional(amount), batch_max: optional(amount) };
const address = textThat(isAddress, 'an address, such as "https://api.example.com"');

const document = object({
  version: Object.assign(integer(1, 1), { accepts: '1' }),
  contact: optional(
    textThat((text) => text.trim() !== '' && text.length <= 200, 'text of 1 to 200 characters'),
  ),
  addresses: optional(
    atLeastOne(list(address), 'a list of at least one address, such as ["https://api.example.com"]'),
  ),
  payouts: optional(
    object({
      allow,
      methods: optional(methods),
      currencies: optional(byCurrency(object({ ...limits, free_up_to: optional(amount) }))),
      approvals: optional(integer(0, 5)),
      hours: optional(hours),
    }),
  ),
  payins: optional(
    object({
      allow,
      methods: optional(methods),
      currencies: optional(byCurrency(object(limits))),
      hours: optional(hours),
    }),
  ),
  approvals: optional(
    object({
      signers: optional(textLike(/^\/[^\0]{1,1000}$/, 'the path of a file, from / on')),
      valid_for: optional(
        textThat((text) => readLifeMs(text) !== null, 'a time from "1h" to "90d", in hours (h) or days (d)'),
      ),
    }),
  ),
  webhooks: optional(oneOf(['none', 'register'])),
});

export type PolicyDocument = Shaped<typeof document>;

export function problemsOf(value: unknown): PolicyProblem[] {
  const problems = new Map(
    [...detailsOf(document, value), ...findNulls(value, '')].map((detail) => [detail.field, detail]),
  );
  return [...problems.values()].map(({ field, code }) => ({
    field,
    code: code === 'required' || code === 'unknown' ? code : 'invalid',
    sentence: sentenceOf(field, code),
  }));
}

/** Null is refused, because it is more likely a mistake than a missing limit. */
function findNulls(value: unknown, field: string): Detail[] {
  if (value === null) return [{ field, code: 'invalid' }];
  if (typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, inner]) => findNulls(inner, joinPath(field, name)));
}

function sentenceOf(field: string, code: string): string {
  if (field === '') return 'The file must hold an object: {"version":1}.';
  const shape = shapeAt(document, field);
  const allowedValues = shape?.words === undefined ? (shape?.accepts ?? 'left out') : quoteWords(shape.words);
  if (code === 'required') return `${field} is missing: it must be ${allowedValues}.`;
  if (code !== 'unknown') return `${field} must be ${allowedValues}.`;
  const siblings = shapeAt(document, field.slice(0, Math.max(0, field.lastIndexOf('.'))))?.members;
  return siblings === undefined
    ? `${field} is not a currency: its name must be three capitals, such as VES.`
    : `${field} is not known: what may stand there is ${Object.keys(siblings).join(', ')}.`;
}

function quoteWords(words: readonly string[]): string {
  const quotedWords = words.map((word) => JSON.stringify(word));
  return quotedWords.length === 1 ? quotedWords.join('') : `one of ${quotedWords.join(', ')}`;
}

export function readLifeMs(text: string): number | null {
  const ms = /^[1-9][0-9]*[hd]$/.test(text) ? readDuration(text) : null;
  return ms !== null && ms <= VALID_FOR_MAX_MS ? ms : null;
}

function isAddress(text: string): boolean {
  if (!/^https?:\/\/[^\s\\@?#]+$/.test(text) || !URL.canParse(text)) return false;
  if (/\/(v2|sandbox)\/*$/.test(new URL(text).pathname)) return false;
  return text.startsWith('https:') || /^http:\/\/localhost(:|\/|$)/.test(canonicalAddress(text));
}

function atLeastOne<T>(shape: Shape<T[]>, accepts: string): Shape<T[]> {
  const nonEmptyShape: Shape<T[]> = (value, field) =>
    Array.isArray(value) && value.length === 0 ? [{ field, code: 'invalid' }] : shape(value, field);
  return Object.assign(nonEmptyShape, { ...(shape.element && { element: shape.element }), accepts });
}

function byCurrency<T>(shape: Shape<T>): Shape<Record<string, T>> {
  const recordShape: Shape<Record<string, T>> = (value, field) => {
    if (!isObject(value)) return [{ field, code: 'invalid' }];
    return Object.entries(value).flatMap(([code, inner]): Detail[] => {
      const path = joinPath(field, code);
      return /^[A-Z]{3}$/.test(code) ? shape(inner, path) : [{ field: path, code: 'unknown' }];
    });
  };
  return Object.assign(recordShape, {
    element: shape,
    accepts: 'an object with a member for each currency, such as {"VES":{}}',
  });
}

function requireOrder<T extends { from: string; to: string }>(shape: Shape<T>): Shape<T> {
  const orderedShape: Shape<T> = (value, field) => {
    const details = shape(value, field);
    if (details.length > 0) return details;
    const { from, to } = value as T;
    return from < to ? [] : [{ field: joinPath(field, 'to'), code: 'invalid' }];
  };
  return Object.assign(orderedShape, {
    ...(shape.members && { members: shape.members }),
    accepts: 'an object',
  });
}
