import { canonicalAddress } from '../../contract/access.js';
import { type EndpointId, ENDPOINT_IDS, endpoint, endpointDirection } from '../../contract/endpoints.js';
import { parseStrictJson } from '../../contract/json.js';
import { isUuid } from '../../contract/notation.js';
import { isObject } from '../../contract/shape.js';
import type { HttpRequest } from '../../runtime/transport.js';

/**
 * `probe`: a create of amount 0, which cannot pay.
 * `act`: confirms a pay-in or asks for another one-time code.
 */
export type SendingKind = 'read' | 'create' | 'probe' | 'cancel' | 'act' | 'webhooks' | 'other';

export type SendingDirection = 'payouts' | 'payins';

export interface JudgedRequest {
  readonly kind: SendingKind;
  readonly direction: SendingDirection | null;
  readonly address: string;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly method: string | null;
  readonly damage: string | null;
}

export function sendingOf(
  request: Pick<HttpRequest, 'method' | 'url' | 'body'>,
  serviceUrl: string,
): JudgedRequest {
  const base = serviceUrl.replace(/\/+$/, '');
  const isServiceUrl = request.url.startsWith(`${base}/v2/`);
  const address = canonicalAddress(isServiceUrl ? base : (URL.parse(request.url)?.origin ?? request.url));
  const [path = ''] = isServiceUrl ? request.url.slice(base.length).split('?', 1) : [];
  const method = request.method.toUpperCase();
  const endpointId = ENDPOINT_IDS.find((id) => endpoint(id).method === method && isPathOf(id, path));
  const operationDirection = endpointId === undefined ? undefined : endpointDirection(endpointId);
  const direction: SendingDirection | null =
    operationDirection === undefined ? null : `${operationDirection}s`;
  const noMoney = { direction, address, amount: null, currency: null, method: null, damage: null };
  if (method === 'GET' || method === 'HEAD') return { ...noMoney, kind: 'read' };
  const kind = endpointId === undefined ? 'other' : kindOf(endpointId);
  if (kind !== 'create') return { ...noMoney, kind };
  const { reference, ...money } = readMoney(request.body ?? new Uint8Array());
  const isProbe = money.amount === '0' && /^svc-probe-[12]$/.test(reference ?? '');
  return isProbe ? { ...noMoney, kind: 'probe' } : { ...noMoney, kind, ...money };
}

function isPathOf(id: EndpointId, path: string): boolean {
  const [prefix = '', suffix] = endpoint(id).path.split('{id}');
  if (suffix === undefined) return path === prefix;
  const idText = path.slice(prefix.length, path.length - suffix.length);
  return path === prefix + idText + suffix && isUuid(idText);
}

function kindOf(id: EndpointId): SendingKind {
  if (id === 'webhooks.register') return 'webhooks';
  if (endpoint(id).retry === 'keyed') return 'create';
  return id.endsWith('.cancel') ? 'cancel' : 'act';
}

const MONEY_MEMBERS = ['amount', 'currency', 'method', 'reference'] as const;

function readMoney(body: Uint8Array) {
  const noMoney = { amount: null, currency: null, method: null, reference: null };
  const parsed = parseStrictJson(body);
  if (parsed.kind === 'damage') return { ...noMoney, damage: parsed.damage };
  const { value } = parsed;
  if (!isObject(value)) return { ...noMoney, damage: 'is not an object' };
  // The name is refused, because some parsers take `Amount` for `amount`.
  for (const name of Object.keys(value)) {
    const foldedName = name.normalize('NFKC').toLowerCase();
    if (foldedName !== name && MONEY_MEMBERS.some((member) => member === foldedName))
      return { ...noMoney, damage: `has a name that some read as ${foldedName}` };
  }
  const textOf = (name: string): string | null => {
    const member = Object.hasOwn(value, name) ? value[name] : null;
    return typeof member === 'string' ? member : null;
  };
  const money = { amount: textOf('amount'), currency: textOf('currency'), method: textOf('method') };
  return { ...money, reference: textOf('reference'), damage: null };
}
