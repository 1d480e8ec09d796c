/** A request of the log as a call that can be sent again. Pure. */
import type { LoggedWhole } from '../log/logged.js';
import type { Call } from './call.js';
import type { CompanyJson } from './types.js';

/** What a request carried beside its body and its key. */
const KEPT = ['Idempotency-Key', 'Content-Type'];

/**
 * Null where the log does not hold all of it: what was cut, and a code, which is kept nowhere.
 * @param newKey an idempotency key in the place of its own; null keeps that
 */
export function again(
  request: LoggedWhole,
  companies: readonly CompanyJson[],
  newKey: string | null = null,
): Call | null {
  const { method, path, endpoint, company } = request;
  const side = request.request;
  if (side.truncated === true || endpoint === 'payins.confirm') return null;
  const headers = Object.fromEntries(
    Object.entries(side.headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const kept = KEPT.flatMap((name) =>
    headers[name.toLowerCase()] === undefined ? [] : [[name, headers[name.toLowerCase()] ?? ''] as const],
  );
  const environment = path.startsWith('/sandbox/') ? 'sandbox' : 'live';
  const owner = companies.find((one) => one.name === company && one.environment === environment);
  const key = owner?.keys.toSorted((a, b) => b.scopes.length - a.scopes.length)[0]?.api_key;
  const body = side.encoding === 'base64' ? { base64: side.body } : { body: side.body };
  return {
    method,
    path,
    headers: {
      ...Object.fromEntries(kept),
      ...(newKey !== null && { 'Idempotency-Key': newKey }),
    },
    ...(side.body !== '' && method !== 'GET' && body),
    ...(headers['authorization'] !== undefined && key !== undefined && { key }),
  };
}
