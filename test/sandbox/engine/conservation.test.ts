/** Whatever is asked in whatever order: the balances are the sum of the ledger, and each final operation has exactly one event. */
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSandbox, type Sandbox } from '../../../src/sandbox/sandbox.js';
import type { Answered } from '../support/answered.js';
import { fakeClock } from '../support/clock.js';
import { seededRandom } from '../support/random.js';
import { testFolder } from '../../support/test-folder.js';
import { ask, PAYOUT } from '../store/request.js';
import { rounds } from '../../support/rounds.js';

const document = fc.constantFrom('12345678', '00000001', '00000002', '00000004');
const amount = fc.integer({ min: 100, max: 99_999 }).map((minor) => (minor / 100).toFixed(2));
/** Counted from the newest: what was just made is acted on. */
const pick = fc.nat({ max: 4 });
const create = fc.record({ do: fc.constantFrom('payout', 'debit', 'incoming'), document, amount });
const code = fc.constantFrom('123456', '000000');
const hours = fc.constantFrom(0.001, 0.01, 50);
const command = fc.oneof(
  { weight: 5, arbitrary: create },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('confirm'), code, pick }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constantFrom('read', 'cancel', 'pay', 'resend'), pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('advance'), hours }) },
);
type Command = typeof command extends fc.Arbitrary<infer One> ? One : never;

const { document: _, ...beneficiary } = PAYOUT.beneficiary;

function carryOut(sandbox: Sandbox, commands: readonly Command[]): Map<string, Answered> {
  const made: { id: string; path: string }[] = [];
  const created = new Map<string, Answered>();
  const create = (path: string, body: object): void => {
    const { status, json } = ask(sandbox, 'POST', path, body, `key-number-${String(made.length)}`);
    expect(status).toBe(201);
    created.set(json.id, json);
    made.push({ id: json.id, path: `${path}/${json.id}` });
  };
  for (const next of commands) {
    if (next.do === 'advance') {
      ask(sandbox, 'POST', '/_control/clock', { advance_seconds: next.hours * 3600 });
    } else if ('document' in next) {
      const party = { type: 'V', number: next.document };
      const body = { ...PAYOUT, amount: next.amount, beneficiary: undefined };
      const payer = { bank_code: '0102', phone: '04121234567', document: party };
      if (next.do === 'payout')
        create('/v2/payouts', { ...body, beneficiary: { ...beneficiary, document: party } });
      if (next.do === 'debit')
        create('/v2/payins', { ...body, method: 'debit_otp', payer: debtor(sandbox, payer) });
      if (next.do === 'incoming') create('/v2/payins', { ...body, method: 'incoming_mobile_payment', payer });
    } else {
      const target = made.at(-1 - next.pick);
      if (target === undefined) continue;
      if (next.do === 'confirm') ask(sandbox, 'POST', `${target.path}/confirm`, { code: next.code });
      if (next.do === 'cancel') ask(sandbox, 'POST', `${target.path}/cancel`);
      if (next.do === 'resend') ask(sandbox, 'POST', `${target.path}/resend-code`);
      if (next.do === 'read') ask(sandbox, 'GET', target.path);
      if (next.do === 'pay') ask(sandbox, 'POST', '/_control/payments', { for: target.id });
    }
  }
  return created;
}

/** The fields that the catalog requires of the payer of a `debit_otp`, over these. */
function debtor(sandbox: Sandbox, payer: Record<string, unknown>): object {
  const { methods } = ask(sandbox, 'GET', '/v2/methods?country=VE&direction=payin').json;
  const required = methods.find(({ code }) => code === 'debit_otp')!.fields.filter((field) => field.required);
  const fields = required.filter(({ name }) => !name.includes('.'));
  const filled = fields.map(({ name, example, enum: all }) => [name, payer[name] ?? example ?? all?.[0]]);
  return Object.fromEntries([['document', payer['document']], ...filled]) as object;
}

/** One percent of a received mobile payment, rounded half up. */
function feeOf(method: string, cents: number): number {
  return method === 'incoming_mobile_payment' ? Math.floor((cents + 50) / 100) : 0;
}

describe('any sequence of calls', () => {
  it('conserves money and events', () => {
    const all = fc.array(command, { minLength: 10, maxLength: 40 });
    const property = fc.property(all, (commands) => {
      const sandbox = openSandbox({ store: ':memory:', clock: fakeClock(), random: seededRandom() });
      const made = carryOut(sandbox, commands);
      const { events } = ask(sandbox, 'GET', '/v2/events?limit=200').json;
      expect(new Set(events.map(({ data }) => data.id)).size).toBe(events.length);
      let [available, reserved] = [0, 0];
      for (const id of made.keys()) {
        // What has no event is as it was created, for all that money knows.
        const told = events.find(({ data }) => data.id === id)?.data;
        const { type, method, status, amount: text } = told ?? made.get(id)!;
        const cents = Math.round(Number(text) * 100);
        if (type === 'payout' && status !== 'failed') available -= cents;
        if (type === 'payout' && status === 'pending') reserved += cents;
        if (type === 'payin' && status === 'confirmed') available += cents - feeOf(method, cents);
      }
      const { balances } = ask(sandbox, 'GET', '/v2/balances').json;
      const [free, held] = [available, reserved].map((cents) => (cents / 100).toFixed(2));
      const ves = balances.find(({ currency }) => currency === 'VES');
      expect(ves).toEqual({ currency: 'VES', available: free, reserved: held });
      sandbox.close();
    });
    fc.assert(property, { numRuns: rounds(60) });
  });

  it('leaves a ledger that adds up to the balances', () => {
    const file = join(testFolder(), 'sandbox.db');
    const sandbox = openSandbox({ store: file, clock: fakeClock(), random: seededRandom() });
    const long = fc.array(command, { minLength: 150, maxLength: 150 });
    const [commands = []] = fc.sample(long, { numRuns: 1, seed: 7 });
    carryOut(sandbox, commands);
    sandbox.close();
    const db = new DatabaseSync(file);
    onTestFinished(() => db.close());
    const sums = db
      .prepare(
        `SELECT sum(CASE kind WHEN 'reserve' THEN -minor WHEN 'fee' THEN -minor WHEN 'capture' THEN 0 ELSE minor END) AS available,
                sum(CASE kind WHEN 'reserve' THEN minor WHEN 'capture' THEN -minor WHEN 'release' THEN -minor ELSE 0 END) AS reserved,
                count(DISTINCT kind) AS kinds
         FROM ledger WHERE currency = 'VES'`,
      )
      .get() as { available: number; reserved: number; kinds: number };
    const row = db.prepare("SELECT available, reserved FROM balances WHERE currency = 'VES'").get();
    expect(row).toEqual({ available: String(sums.available), reserved: String(sums.reserved) });
    expect(sums.kinds).toBe(5);
  });
});
