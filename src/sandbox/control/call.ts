import { ENVIRONMENTS, type Environment } from '../../contract/access.js';
import type { Detail } from '../../contract/errors.js';
import { readDuration } from '../../contract/notation.js';
import { detailsOf, object, shapeAt, textThat, withoutNulls, type Shape } from '../../contract/shape.js';
import { isoSeconds } from '../../runtime/clock.js';
import type { HttpRefusal } from '../message.js';
import { invalidDetails, fieldsRefusal, readOptionalObject, readLimit, readQuery } from '../http/call.js';
import type { EndpointCall, QueryValues } from '../http/call.js';
import type { PageStart } from '../store/rows.js';

export const STATE_TARGET = '/_control/state';

/** A reset restores the state that was put with this query. */
export const SEED_QUERY = 'seed=true';
export const SEED_TARGET = `${STATE_TARGET}?${SEED_QUERY}`;

export const isStateUpload = (method: string, target: string): boolean =>
  method === 'PUT' && target.split('?', 1)[0] === STATE_TARGET;

export const STATE_MAX_BYTES = 128 * 1024 * 1024;
export const STATE_TOO_LARGE = `A state has at most ${String(STATE_MAX_BYTES / 1024 / 1024)} MiB, and this one has more.`;

export type ControlCall = Pick<EndpointCall, 'world' | 'nowMs' | 'id' | 'query'> & {
  readonly body: Uint8Array;
};

export type ControlHandler = (call: ControlCall) => string | HttpRefusal;

export const durationShape = textThat(
  (text) => readDuration(text) !== null,
  'a duration such as 30s, 5m, 48h or 2d, of at most 366d',
);

export const noBody = object({});

export function readBody<T>({ body }: ControlCall, shape: Shape<T>): { readonly value: T } | HttpRefusal {
  const parsedBody = readOptionalObject(body);
  if ('refusal' in parsedBody) return parsedBody;
  const details = detailsOf(shape, parsedBody.fields);
  return details.length === 0
    ? { value: withoutNulls(parsedBody.fields) as T }
    : explainedRefusal(details, shape);
}

export function explainedRefusal(details: readonly Detail[], shape: Shape<unknown>): HttpRefusal {
  const sentences = details.map(({ field, code }) => {
    if (code === 'unknown') {
      const parentPath = field.includes('.') ? field.slice(0, field.lastIndexOf('.')) : '';
      const names = Object.keys(shapeAt(shape, parentPath)?.members ?? {});
      const hint = names.length === 0 ? 'There are no fields here.' : `Known fields: ${names.join(', ')}.`;
      return `Unknown field: ${field}. ${hint}`;
    }
    const { accepts = 'something else' } = shapeAt(shape, field) ?? {};
    return code === 'required' ? `Add ${field}: ${accepts}.` : `${field} must be ${accepts}.`;
  });
  return fieldsRefusal(details, [...new Set(sentences)].join(' '));
}

export const withBody =
  <T>(shape: Shape<T>, carryOut: (call: ControlCall, body: T) => string | HttpRefusal): ControlHandler =>
  (call) => {
    const body = readBody(call, shape);
    return 'refusal' in body ? body : carryOut(call, body.value);
  };

export const fieldRefusal = (field: string, why: string, code: Detail['code'] = 'invalid'): HttpRefusal =>
  fieldsRefusal([{ field, code }], why);

export const environmentRefusal = fieldRefusal(
  'environment',
  `environment must be one of ${ENVIRONMENTS.join(', ')}.`,
);

export const environmentOf = (text: string | undefined): Environment | null | undefined =>
  text === undefined ? null : ENVIRONMENTS.find((one) => one === text);

export const idRefusal = (what: 'operation' | 'delivery', id: string): HttpRefusal => ({
  ...{ refusal: 'not_found', why: `No ${what} has the id ${JSON.stringify(id)}.` },
});

export const END_OF_TIME_MS = Date.UTC(9999, 11, 31);

export const EXACT_TIME = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{3})?Z$/;

export function readTime(text: unknown): number | null {
  if (typeof text !== 'string' || !EXACT_TIME.test(text)) return null;
  const ms = Date.parse(text);
  // `Date.parse` reads 30 February as 2 March, so the day is compared.
  const isReal = new Date(ms).getUTCDate() === Number(text.slice(8, 10));
  return isReal && ms >= 0 && ms < END_OF_TIME_MS ? ms : null;
}

export const isoOrNull = (ms: number | null): string | null => (ms === null ? null : isoSeconds(ms));

const LIMIT_DEFAULT = 50;
const LIMIT_MAX = 200;

const PAGE_RULES: Readonly<Record<string, string>> = {
  after: 'after must be the id of an element of this list.',
  before: 'before must be the id of an element of this list, or newest. Give after or before, not both.',
  order: 'order must be newest, or left out.',
  limit: `limit must be a whole number from 1 to ${LIMIT_MAX}.`,
};

export function readPage<Name extends string>(
  { query }: Pick<ControlCall, 'query'>,
  names: readonly Name[],
  rowOf: (id: string) => number | null,
): { readonly values: QueryValues<Name>; readonly from: PageStart; readonly limit: number } | HttpRefusal {
  const pageNames = ['after', 'before', 'limit', 'order'] as const;
  const values = readQuery<Name | (typeof pageNames)[number]>(query, [...pageNames, ...names]);
  if ('refusal' in values) {
    const fieldsText = (values.details ?? []).map(({ field }) => field).join(', ');
    return { ...values, why: `Give ${fieldsText} once, as one percent-encoded value.` };
  }
  const { after, before, order, limit: limitText } = values;
  const limit = readLimit(limitText, LIMIT_DEFAULT, 1, LIMIT_MAX);
  const afterRow = after === undefined ? 0 : rowOf(after);
  const beforeRow = before === undefined || before === 'newest' ? Number.MAX_SAFE_INTEGER : rowOf(before);
  const details = invalidDetails({
    after: afterRow === null,
    before: beforeRow === null || (after !== undefined && before !== undefined),
    order: order !== undefined && order !== 'newest',
    limit: limit === null,
  });
  if (details.length > 0 || limit === null)
    return fieldsRefusal(details, details.map(({ field }) => PAGE_RULES[field]).join(' '));
  const isBackward = before !== undefined || (order === 'newest' && after === undefined);
  return { values, from: isBackward ? { before: beforeRow ?? 0 } : { after: afterRow ?? 0 }, limit };
}

/** Pass `limit + 1` rows: the extra row shows that another page follows. */
export function pageOf<T, Id>(rows: readonly T[], limit: number, idOf: (element: T) => Id) {
  const elements = rows.slice(0, limit);
  const lastElement = elements.at(-1);
  return { elements, next: rows.length > limit && lastElement !== undefined ? idOf(lastElement) : null };
}
