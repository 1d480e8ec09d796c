import type { MethodEntry } from '../../../src/contract/catalog.js';
import type { Reply } from './exchange.js';
import { openWorld, type Call, type World } from './world.js';

export type Json = Record<string, unknown>;

export const ANY_DOCUMENT = '12345678';

export const INCOMING_METHODS = ['incoming_mobile_payment', 'incoming_transfer'] as const;
export const PAYIN_METHODS = ['debit_otp', 'direct_debit', ...INCOMING_METHODS] as const;
export const PAYOUT_METHODS = ['mobile_payment', 'bank_transfer'] as const;
export const ALL_METHODS = [...PAYIN_METHODS, ...PAYOUT_METHODS] as const;

export const PARTY_FIELDS = {
  payer: 'account_number account_type bank_code document.type document.number email name phone'.split(' '),
  beneficiary: 'account_number bank_code document.type document.number name'.split(' '),
};

export async function entryOf(world: World, method: string): Promise<MethodEntry> {
  const { methods } = (await world.get('/v2/methods?country=VE')).json;
  const entry = methods.find(({ code, currency }) => code === method && currency === 'VES');
  if (entry === undefined) throw new Error(`the catalog does not have ${method}`);
  return entry;
}

export function bodyOf(entry: MethodEntry, document = ANY_DOCUMENT, amount = '100.00'): Json {
  const party: Json = {};
  for (const { name, required, example, enum: values } of entry.fields)
    if (required) put(party, name, name === 'document.number' ? document : (example ?? values?.[0]));
  const { country, currency, code: method } = entry;
  return { amount, country, currency, method, [partyOf(entry)]: party };
}

export function partyOf({ direction }: Pick<MethodEntry, 'direction'>): 'payer' | 'beneficiary' {
  return direction === 'payin' ? 'payer' : 'beneficiary';
}

export function routeOf(method: string): '/v2/payins' | '/v2/payouts' {
  return (PAYOUT_METHODS as readonly string[]).includes(method) ? '/v2/payouts' : '/v2/payins';
}

export async function validBody(world: World, method: string, document?: string, amount?: string) {
  return bodyOf(await entryOf(world, method), document, amount);
}

export interface Wanted extends Call {
  readonly document?: string;
  readonly amount?: string;
  readonly fields?: Json;
}

export async function create(world: World, method: string, wanted: Wanted = {}): Promise<Reply> {
  const { document, amount, fields, ...call } = wanted;
  const body = { ...(await validBody(world, method, document, amount)), ...fields };
  return world.post(routeOf(method), body, { idempotencyKey: world.freshKey(), ...call });
}

export async function createWith(method: string, path: string, value: unknown): Promise<Reply> {
  const world = await openWorld();
  const body = changed(await validBody(world, method), path, value);
  return world.post(routeOf(method), body, { idempotencyKey: world.freshKey() });
}

export function put(target: Json, path: string, value: unknown): void {
  const names = path.split('.');
  const last = names.pop()!;
  let at = target;
  for (const name of names) at = (at[name] ??= {}) as Json;
  at[last] = value;
}

export function changed(body: Json, path: string, value: unknown): Json {
  const copy = structuredClone(body);
  put(copy, path, value);
  return JSON.parse(JSON.stringify(copy)) as Json;
}

export function at(body: Json, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (value as Json | undefined)?.[name], body);
}
