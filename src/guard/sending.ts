/** What a request is, read out of the bytes that leave and of nothing else: its kind by the table of the endpoints, and of a create its money. Pure. */
import { canonicalAddress } from '../contract/access.js';
import { type EndpointId, ENDPOINT_IDS, endpoint, operationsOf } from '../contract/endpoints.js';
import { strictJsonIn } from '../contract/json.js';
import { isUuid } from '../contract/notation.js';
import { isObject } from '../contract/shape.js';
import type { HttpRequest } from '../runtime/transport.js';

/** `probe`: a create of the amount 0 with a reference of ours, which shows what the service remembers of keys and can pay nothing. `act`: a confirmation or another code. `other`: no read and no row of the table. */
export type SendingKind = 'read' | 'create' | 'probe' | 'cancel' | 'act' | 'webhooks' | 'other';

/** The directions as a policy names them. */
export type SendingDirection = 'payouts' | 'payins';

export interface Sending {
  readonly kind: SendingKind;
  /** Null where it is about neither, or about both. */
  readonly direction: SendingDirection | null;
  /** Where it goes, canonical: the service's address, or the origin of another one. */
  readonly address: string;
  /** Of a create, as the body says them; null where that says no such text, and for everything else. */
  readonly amount: string | null;
  readonly currency: string | null;
  readonly method: string | null;
  /** Why nobody can say what a create's body means, behind "the body"; null where it is plain. */
  readonly damage: string | null;
}

/**
 * @param request as it leaves
 * @param serviceUrl what `/v2/...` is appended to
 */
export function sendingOf(
  request: Pick<HttpRequest, 'method' | 'url' | 'body'>,
  serviceUrl: string,
): Sending {
  const base = serviceUrl.replace(/\/+$/, '');
  const isOurs = request.url.startsWith(`${base}/v2/`);
  const address = canonicalAddress(isOurs ? base : (URL.parse(request.url)?.origin ?? request.url));
  const [path = ''] = isOurs ? request.url.slice(base.length).split('?', 1) : [];
  const method = request.method.toUpperCase();
  // The row of the table whose path is exactly that one.
  const row = ENDPOINT_IDS.find((id) => endpoint(id).method === method && isPathOf(id, path));
  const operations = row === undefined ? undefined : operationsOf(row);
  const direction: SendingDirection | null = operations === undefined ? null : `${operations}s`;
  const plain = { direction, address, amount: null, currency: null, method: null, damage: null };
  if (method === 'GET' || method === 'HEAD') return { ...plain, kind: 'read' };
  const kind = row === undefined ? 'other' : kindOf(row);
  if (kind !== 'create') return { ...plain, kind };
  const { reference, ...money } = moneyIn(request.body ?? new Uint8Array());
  const isProbe = money.amount === '0' && /^svc-probe-[12]$/.test(reference ?? '');
  return isProbe ? { ...plain, kind: 'probe' } : { ...plain, kind, ...money };
}

function isPathOf(id: EndpointId, path: string): boolean {
  const [before = '', after] = endpoint(id).path.split('{id}');
  if (after === undefined) return path === before;
  const within = path.slice(before.length, path.length - after.length);
  return path === before + within + after && isUuid(within);
}

function kindOf(id: EndpointId): SendingKind {
  if (id === 'webhooks.register') return 'webhooks';
  if (endpoint(id).retry === 'keyed') return 'create';
  return id.endsWith('.cancel') ? 'cancel' : 'act';
}

const MONEY = ['amount', 'currency', 'method', 'reference'] as const;

/** What a create's body says, where every parser reads it alike. */
function moneyIn(body: Uint8Array) {
  const none = { amount: null, currency: null, method: null, reference: null };
  const read = strictJsonIn(body);
  if (read.kind === 'damage') return { ...none, damage: read.damage };
  const { value } = read;
  if (!isObject(value)) return { ...none, damage: 'is not an object' };
  // Some parsers take `Amount` for `amount`.
  for (const name of Object.keys(value)) {
    const folded = name.normalize('NFKC').toLowerCase();
    if (folded !== name && MONEY.some((member) => member === folded))
      return { ...none, damage: `has a name that some read as ${folded}` };
  }
  const textOf = (name: string): string | null => {
    const member = Object.hasOwn(value, name) ? value[name] : null;
    return typeof member === 'string' ? member : null;
  };
  const said = { amount: textOf('amount'), currency: textOf('currency'), method: textOf('method') };
  return { ...said, reference: textOf('reference'), damage: null };
}
