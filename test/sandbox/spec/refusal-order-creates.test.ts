/** The order of refusal of a create: of two defects the earlier one is answered, for every pair. */
import { describe, expect, it } from 'vitest';
import type { AnsweredMethod } from '../support/answered.js';
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
  readonly entry: AnsweredMethod;
  readonly poorKey: string;
}

interface Defect {
  readonly name: string;
  readonly code: string;
  /** Defects of one rank are one refusal; which of them names it is not tested. */
  readonly rank: number;
  readonly apply: (draft: Draft, setting: Setting) => void;
}

const USED_KEY = 'a-key-that-was-used';
const TOO_MUCH = '999999999999999.00';

const DEFECTS: readonly Defect[] = [
  { name: 'no route', code: 'route_not_found', rank: 0, apply: (draft) => (draft.path += '/nowhere/at/all') },
  { name: 'another verb', code: 'method_not_allowed', rank: 1, apply: (draft) => (draft.verb = 'DELETE') },
  { name: 'no key', code: 'unauthorized', rank: 2, apply: (draft) => (draft.key = null) },
  {
    ...{ name: 'a key without the scope', code: 'scope_missing', rank: 3 },
    apply: (draft, { poorKey }) => (draft.key = poorKey),
  },
  {
    ...{ name: 'no idempotency key', code: 'idempotency_key_required', rank: 4 },
    apply: (draft) => (draft.idempotencyKey = undefined),
  },
  {
    ...{ name: 'a short idempotency key', code: 'field_invalid', rank: 4 },
    apply: (draft) => (draft.idempotencyKey = 'short'),
  },
  { name: 'no JSON', code: 'body_invalid', rank: 5, apply: (draft) => (draft.text = '{"amount":') },
  {
    ...{ name: 'a used idempotency key', code: 'idempotency_key_reused', rank: 6 },
    apply: (draft) => (draft.idempotencyKey = USED_KEY),
  },
  { name: 'no amount', code: 'field_required', rank: 7, apply: (draft) => delete draft.body['amount'] },
  {
    ...{ name: 'an unknown field', code: 'field_invalid', rank: 7 },
    apply: (draft) => (draft.body['surprise'] = 1),
  },
  {
    ...{ name: 'an unknown country', code: 'country_unsupported', rank: 8 },
    apply: (draft) => (draft.body['country'] = 'XX'),
  },
  {
    ...{ name: 'an unknown currency', code: 'currency_unsupported', rank: 9 },
    apply: (draft) => (draft.body['currency'] = 'XXX'),
  },
  {
    ...{ name: 'a method of the other direction', code: 'method_unavailable', rank: 10 },
    apply: (draft, { entry }) =>
      (draft.body['method'] = entry.direction === 'payin' ? 'bank_transfer' : 'debit_otp'),
  },
  {
    ...{ name: 'an unknown bank', code: 'bank_unsupported', rank: 11 },
    apply: (draft, { entry }) => (draft.body = changed(draft.body, `${partyOf(entry)}.bank_code`, '9999')),
  },
  {
    ...{ name: 'too large an amount', code: 'amount_out_of_range', rank: 12 },
    apply: (draft) => (draft.body['amount'] = TOO_MUCH),
  },
  {
    ...{ name: 'too small an amount', code: 'amount_out_of_range', rank: 12 },
    apply: (draft) => (draft.body['amount'] = '0.00'),
  },
];

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

/** The later defect first, so that the earlier one has the last word where both touch the same part. */
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

describe.each(['debit_otp', 'incoming_transfer', 'bank_transfer', 'mobile_payment'])(
  'a create of %s',
  (method) => {
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
        // Where the method declares no bank, naming one is an unknown field: an earlier refusal.
        if (!hasBank && [first, second].some(({ code }) => code === 'bank_unsupported')) continue;
        const { status, json } = await send(setting, [first, second]);
        if (status !== STATUS_OF[first.code] || json.error.code !== first.code) {
          wrong.push(`${first.name} + ${second.name}: ${json.error.code}, not ${first.code}`);
        }
      }
      expect(wrong).toEqual([]);
    });
  },
);
