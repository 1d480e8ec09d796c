/** A small client that is right. Each control changes one thing. */
import { setTimeout as pause } from 'node:timers/promises';

export { pause };

export class Refused extends Error {
  constructor(status, code) {
    super(`${status} ${code}`);
    Object.assign(this, { status, code });
  }
}

export class Unknown extends Error {
  constructor(why, { waitMs = 0, isLate = false } = {}) {
    super(why);
    Object.assign(this, { waitMs, isLate });
  }
}

/** @returns what the service answered, parsed */
export async function call(
  method,
  path,
  { text, key, token = process.env.SVC_API_KEY, timeoutMs = 10_000 } = {},
) {
  const headers = { authorization: `Bearer ${token}` };
  if (text !== undefined) headers['content-type'] = 'application/json';
  if (key !== undefined) headers['idempotency-key'] = key;
  let answer, value;
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    answer = await fetch(process.env.SVC_SANDBOX_URL + path, { method, headers, body: text, signal });
    value = await answer.json();
  } catch (error) {
    throw new Unknown(`no answer: ${error.message}`, { isLate: error.name === 'TimeoutError' });
  }
  if (answer.ok) return value;
  const { status } = answer;
  if (status < 500 && status !== 429) throw new Refused(status, value.error.code);
  throw new Unknown(`${status}`, { waitMs: 1000 * Number(answer.headers.get('retry-after') ?? 0) });
}

/** @param work gets the number of the attempt, from 1 */
export async function persist(work, { times = 4, pauseMs = 30, heedsWait = true } = {}) {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await work(attempt);
    } catch (error) {
      if (!(error instanceof Unknown) || attempt === times) throw error;
      await pause(Math.max(heedsWait ? error.waitMs : 0, pauseMs * attempt));
    }
}

const document = { type: 'V', number: '12345678' };

export function payoutBody(reference, extra = {}) {
  const beneficiary = { document, bank_code: '0105', account_number: '04149876543' };
  const place = { country: 'VE', currency: 'VES', method: 'mobile_payment' };
  return { amount: '20.00', ...place, beneficiary, ...(reference === null ? {} : { reference }), ...extra };
}

export function codeBody(reference, amount = '150.00') {
  const payer = { document, bank_code: '0102', phone: '04121234567' };
  return { method: 'debit_otp', country: 'VE', currency: 'VES', amount, reference, payer };
}

export function incomingBody(reference) {
  const payer = { document, bank_code: '0102', phone: '04121234567' };
  const place = { country: 'VE', currency: 'VES', amount: '30.00' };
  return { method: 'incoming_mobile_payment', ...place, reference, payer };
}

export async function create(path, body, key, options) {
  const text = JSON.stringify(body);
  return persist(() => call('POST', path, { text, key }), options);
}

export const read = (path) => persist(() => call('GET', path));

export async function settled(path) {
  for (let look = 0; look < 80; look += 1) {
    const operation = await read(path);
    if (operation.status !== 'pending') return operation;
    await pause(100);
  }
  throw new Error('still pending');
}

export async function pay(body, key, options) {
  const { id } = await create('/v2/payouts', body, key, options);
  return settled(`/v2/payouts/${id}`);
}

export const code = JSON.stringify({ code: '123456' });

export async function confirm(id) {
  const path = `/v2/payins/${id}`;
  for (let attempt = 1; attempt <= 3; attempt += 1)
    try {
      await call('POST', `${path}/confirm`, { text: code });
      break;
    } catch (error) {
      if (!(error instanceof Unknown)) throw error;
      await pause(error.waitMs);
      if ((await read(path)).pending_reason !== 'awaiting_code') break;
    }
  return settled(path);
}

/** @returns how it stands */
export async function callOff(path) {
  for (let attempt = 1; attempt <= 3; attempt += 1)
    try {
      await call('POST', `${path}/cancel`);
      break;
    } catch (error) {
      // The cancel came too late, so the operation shows its status below.
      if (error instanceof Refused && error.code === 'not_cancellable') break;
      if (!(error instanceof Unknown)) throw error;
      await pause(error.waitMs);
      if ((await read(path)).status !== 'pending') break;
    }
  return read(path);
}

export async function control(path, body = {}) {
  const url = `${process.env.SVC_CONTROL_URL}/${path}`;
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
}

export const arm = (fault) => control('faults', fault);

export function requirePaid({ status, failure }) {
  if (status === 'confirmed') return;
  console.error(`not paid: ${status} ${failure?.code ?? ''}`);
  process.exit(1);
}
