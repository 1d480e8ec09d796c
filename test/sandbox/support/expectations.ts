import { expect } from 'vitest';
import type { AnsweredDetail, AnsweredEvent } from './answered.js';
import type { Reply } from './exchange.js';
import type { Call, World } from './world.js';

const CODES: readonly (readonly [status: number, codes: string])[] = [
  [400, 'body_invalid field_required field_invalid method_unavailable bank_unsupported'],
  [400, 'amount_out_of_range currency_unsupported country_unsupported idempotency_key_required'],
  [401, 'unauthorized'],
  [403, 'scope_missing foreign_origin'],
  [404, 'not_found route_not_found'],
  [405, 'method_not_allowed'],
  [409, 'idempotency_key_reused not_cancellable code_not_expected too_many_codes'],
  [503, 'temporarily_unavailable'],
];
export const STATUS_OF: Readonly<Record<string, number>> = Object.fromEntries(
  CODES.flatMap(([status, codes]) => codes.split(' ').map((code) => [code, status])),
);

export function expectEnvelope(reply: Reply): void {
  expect(reply.headers['content-type']).toMatch(/^application\/json/);
  const { error, ...rest } = reply.json;
  expect(rest).toEqual({});
  expect(Object.keys(error)).toEqual(expect.arrayContaining(['code', 'message']));
  expect(error.code).toMatch(/^[a-z_]+$/);
  expect(error.message).toEqual(expect.stringMatching(/\S/));
  expect(['code', 'message', 'details']).toEqual(expect.arrayContaining(Object.keys(error)));
  for (const detail of error.details ?? []) {
    expect(detail).toEqual({ field: expect.any(String) as string, code: expect.any(String) as string });
    expect(['required', 'invalid', 'unknown']).toContain(detail.code);
  }
}

/** Without `details`, the refusal must have none. */
export function expectRefusal(reply: Reply, code: string, details?: readonly AnsweredDetail[]): void {
  const error = reply.json.error as { code?: string } | undefined;
  expect({ status: reply.status, code: error?.code }).toEqual({ status: STATUS_OF[code], code });
  expectEnvelope(reply);
  const sorted = (list: readonly AnsweredDetail[] | undefined): string[] | undefined =>
    list?.map(({ field, code: detail }) => `${field}: ${detail}`).sort();
  expect(sorted(reply.json.error.details)).toEqual(sorted(details));
}

export const invalidField = (field: string): AnsweredDetail[] => [{ field, code: 'invalid' }];
export const requiredField = (field: string): AnsweredDetail[] => [{ field, code: 'required' }];

export const expectInvalid = (reply: Reply, field: string): void =>
  expectRefusal(reply, 'field_invalid', invalidField(field));
export const expectUnknown = (reply: Reply, field: string): void =>
  expectRefusal(reply, 'field_invalid', [{ field, code: 'unknown' }]);
export const expectRequired = (reply: Reply, field: string): void =>
  expectRefusal(reply, 'field_required', requiredField(field));

export async function balanceOf(world: World, currency = 'VES', call?: Call) {
  const reply = await world.get('/v2/balances', call);
  expect(reply.status).toBe(200);
  const entry = reply.json.balances.find((balance) => balance.currency === currency);
  return { available: entry?.available ?? '0.00', reserved: entry?.reserved ?? '0.00' };
}

export async function allEvents(world: World, call?: Call, limit = 200): Promise<readonly AnsweredEvent[]> {
  const events: AnsweredEvent[] = [];
  let cursor: string | null = null;
  for (;;) {
    const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page: Reply = await world.get(`/v2/events?limit=${String(limit)}${query}`, call);
    expect(page.status).toBe(200);
    if (page.json.events.length === 0) return events;
    events.push(...page.json.events);
    cursor = page.json.next_cursor;
    if (cursor === null) return events;
  }
}

export const typedEvents = async (world: World): Promise<[string, object][]> =>
  (await allEvents(world)).map(({ type, data }) => [type, data]);

export async function arm(world: World, fault: object, armed?: number): Promise<void> {
  const { status, json } = await world.control('POST', '/faults', fault);
  expect([status, json]).toEqual([200, { armed: armed ?? (expect.any(Number) as number) }]);
}

export async function advance(world: World, seconds: number): Promise<void> {
  const reply = await world.control('POST', '/clock', { advance_seconds: seconds });
  expect(reply.status).toBe(200);
}

export function msOf(iso: string | null | undefined): number {
  expect(iso).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
  return Date.parse(iso!);
}
