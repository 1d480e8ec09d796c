/** The whole judgement of a create: shape, fields, country, currency, method, bank and amount, in that order of refusal. */
import { newPayin, newPayout } from './bodies.js';
import type { Capabilities } from './catalog.js';
import {
  checkAmount,
  checkAvailability,
  checkTerms,
  locateMethod,
  rejectField,
  type Found,
  type Rejection,
} from './check.js';
import type { Detail } from './errors.js';
import { checkFields } from './fields.js';
import { partyOf, type Direction } from './methods.js';
import { detailsOf } from './shape.js';

/** Whether a bank takes a method there; the command line, which may not know the banks, passes none. */
export type BankRule = (country: string, bankCode: string, method: string) => boolean;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Judges the body of a create by the schema and the catalog, every offending field at once.
 * Where the catalog declares something (a method, a field of `payer`), its word counts and not the schema's,
 * so that a newer service can be used. The size of `metadata` is not judged here: it is counted in the bytes as sent.
 * @param body a JSON object; anything else is the caller's `body_invalid`
 * @returns the entry and its decimals, for the operation to be made; or the error of section 7
 */
export function checkCreate(
  capabilities: Capabilities,
  direction: Direction,
  body: Fields,
  supportsBank?: BankRule,
): Found | Rejection {
  const shape = detailsOf(direction === 'payin' ? newPayin : newPayout, body);
  const located = locate(capabilities, direction, body);
  const party = partyOf(direction);
  if (located === null || 'refusal' in located) {
    return shape.length > 0 || located === null ? rejectFields(shape) : located;
  }
  const { entry, decimals } = located;
  const declared = checkFields(party, body[party], entry.fields);
  const terms = checkTerms(entry.code, body);
  const own = shape.filter(
    ({ field }) =>
      !isWithin(field, party) && field !== 'method' && !terms.some((term) => isWithin(field, term.field)),
  );
  const isAmount = !own.some(({ field }) => field === 'amount');
  const amount = isAmount ? checkAmount(String(body['amount']), entry, decimals) : null;
  if (amount === 'field_invalid') own.push({ field: 'amount', code: 'invalid' });
  const details = [...own, ...declared, ...terms];
  if (details.length > 0) return rejectFields(details);
  const unavailable = checkAvailability(entry);
  if (unavailable !== null) return unavailable;
  const bank = (body[party] as Fields)['bank_code'];
  if (typeof bank === 'string' && supportsBank?.(entry.country, bank, entry.code) === false) {
    return rejectField('bank_unsupported', `${party}.bank_code`);
  }
  return amount === null ? located : rejectField(amount, 'amount');
}

/** Null where the body does not say which method it wants. */
function locate(capabilities: Capabilities, direction: Direction, body: Fields): Found | Rejection | null {
  const { country, currency, method } = body;
  if (typeof country !== 'string' || typeof currency !== 'string' || typeof method !== 'string') return null;
  return locateMethod(capabilities, { country, currency, method, direction });
}

function isWithin(field: string, parent: string): boolean {
  return field === parent || field.startsWith(`${parent}.`);
}

function rejectFields(details: readonly Detail[]): Rejection {
  const isMissing = details.some(({ code }) => code === 'required');
  return { refusal: isMissing ? 'field_required' : 'field_invalid', details };
}
