import { describe, expect, it } from 'vitest';
import type { MethodEntry } from '../../../src/contract/catalog.js';
import { bodyOf, changed, entryOf, partyOf, routeOf, type Json } from '../support/bodies.js';
import { expectRefusal, STATUS_OF } from '../support/expectations.js';
import type { Reply } from '../support/exchange.js';
import { openWorld, type World } from '../support/world.js';

interface Draft {
  verb: string;
  path: string;
  key: string | null;
  idempotencyKey: string | undefined;
  body: Json;
  text: string | null;
}

interface Setting {
  readonly world: World;
  readonly entry: MethodEntry;
  readonly poorKey: string;
}

interface Defect {
  readonly name: string;
  readonly code: string;
  /** The order of two defects with the same rank is not tested. */
  readonly rank: number;
  readonly apply: (draft: Draft, setting: Setting) => void;
}

const USED_KEY = 'a-key-that-was-used';
const TOO_MUCH = '999999999999999.00';

const ROWS: readonly (readonly [rank: number, name: string, code: string, apply: Defect['apply']])[] = [
  [0, 'no route', 'route_not_found', (draft) => (draft.path += '/nowhere/at/all')],
  [1, 'another verb', 'method_not_allowed', (draft) => (draft.verb = 'DELETE')],
  [2, 'no key', 'unauthorized', (draft) => (draft.key = null)],
  [3, 'a key without the scope', 'scope_missing', (draft, { poorKey }) => (draft.key = poorKey)],
  [4, 'no idempotency key', 'idempotency_key_required', (draft) => (draft.idempotencyKey = undefined)],
  [4, 'a short idempotency key', 'field_invalid', (draft) => (draft.idempotencyKey = 'short')],
  [5, 'no JSON', 'body_invalid', (draft) => (draft.text = '{"amount":')],
  [6, 'a used idempotency key', 'idempotency_key_reused', (draft) => (draft.idempotencyKey = USED_KEY)],
  [7, 'no amount', 'field_required', (draft) => delete draft.body['amount']],
  [7, 'an unknown field', 'field_invalid', (draft) => (draft.body['surprise'] = 1)],
  [8, 'an unknown country', 'country_unsupported', (draft) => (draft.body['country'] = 'XX')],
  [9, 'an unknown currency', 'currency_unsupported', (draft) => (draft.body['currency'] = 'XXX')],
  [
    10,
    'a method of the other direction',
    'method_unavailable',
    (draft, { entry }) =>
      (draft.body['method'] = entry.direction === 'payin' ? 'bank_transfer' : 'debit_otp'),
  ],
  [
    11,
    'an unknown bank',
    'bank_unsupported',
    (draft, { entry }) => (draft.body = changed(draft.body, `${partyOf(entry)}.bank_code`, '9999')),
  ],
  [12, 'too large an amount', 'amount_out_of_range', (draft) => (draft.body['amount'] = TOO_MUCH)],
  [12, 'too small an amount', 'amount_out_of_range', (draft) => (draft.body['amount'] = '0.00')],
];
const DEFECTS: readonly Defect[] = ROWS.map(([rank, name, code, apply]) => ({ rank, name, code, apply }));

async function setUp(method: string): Promise<Setting> {
  const world = await openWorld();
  const entry = await entryOf(world, method);
  const used = await world.post(
    routeOf(method),
    { ...bodyOf(entry), reference: 'used' },
    { idempotencyKey: USED_KEY },
  );
  expect(used.status).toBe(201);
  const poorKey = (await world.control('POST', '/keys', { scopes: ['saldos:leer'] })).json.api_key;
  return { world, entry, poorKey };
}

function send(setting: Setting, defects: readonly Defect[]): Promise<Reply> {
  const { world, entry } = setting;
  const draft: Draft = {
    ...{ verb: 'POST', path: routeOf(entry.code), key: world.key, idempotencyKey: world.freshKey() },
    ...{ body: bodyOf(entry), text: null },
  };
  for (const defect of [...defects].reverse()) defect.apply(draft, setting);
  const { key, idempotencyKey, text, body } = draft;
  const call = { key, body: text ?? body, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) };
  return world.send(draft.verb, `/sandbox${draft.path}`, call);
}

const PAIRS = DEFECTS.flatMap((first) =>
  DEFECTS.filter((second) => first.rank < second.rank).map((second) => [first, second] as const),
);

const TRIED_METHODS = ['debit_otp', 'incoming_transfer', 'bank_transfer', 'mobile_payment'];

describe.each(TRIED_METHODS)('a create of %s', (method) => {
  it('is accepted without a defect', async () => {
    expect((await send(await setUp(method), [])).status).toBe(201);
  });

  it.each(DEFECTS)('with $name alone is $code', async (defect) => {
    const setting = await setUp(method);
    const capped = setting.entry.max_amount !== null;
    const hasBank = setting.entry.fields.some(({ name }) => name === 'bank_code');
    if (defect.name.startsWith('too large') && !capped) return;
    if (defect.code === 'bank_unsupported' && !hasBank) return;
    const reply = await send(setting, [defect]);
    expectRefusal(reply, defect.code, reply.json.error.details);
  });

  it('answers the earlier of any two defects', async () => {
    const setting = await setUp(method);
    const hasBank = setting.entry.fields.some(({ name }) => name === 'bank_code');
    const wrong: string[] = [];
    for (const [first, second] of PAIRS) {
      // If the method declares no bank, a bank code is an unknown field, which is refused earlier.
      if (!hasBank && [first, second].some(({ code }) => code === 'bank_unsupported')) continue;
      const { status, json } = await send(setting, [first, second]);
      if (status !== STATUS_OF[first.code] || json.error.code !== first.code)
        wrong.push(`${first.name} + ${second.name}: ${json.error.code}, not ${first.code}`);
    }
    expect(wrong).toEqual([]);
  });
});
