import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { rounds } from '../../support/rounds.js';
import { testFolder } from '../../support/test-folder.js';
import { live, opened, send, steps } from '../state/life.js';

function feeOf(method: string, cents: number): number {
  return method === 'incoming_mobile_payment' ? Math.floor((cents + 50) / 100) : 0;
}

describe('any sequence of calls', () => {
  it('conserves money and events', () => {
    let [ended, open] = [0, 0];
    const property = fc.property(steps, (all) => {
      const one = opened();
      live(one, all);
      send(one.sandbox, 'POST', '/_control/faults/clear');
      const read = (path: string) => send(one.sandbox, 'GET', path).json;
      const own = read('/_control/operations?limit=200')
        .operations.filter(({ environment }) => environment === 'sandbox')
        .map(({ operation }) => operation);
      const final = own.filter(({ status }) => status !== 'pending').map(({ id }) => id);
      const { events } = read('/sandbox/v2/events?limit=200');
      expect(events.map(({ data }) => data.id).toSorted()).toEqual(final.toSorted());
      let [available, reserved] = [0, 0];
      for (const { type, method, status, amount } of own) {
        const cents = Math.round(Number(amount) * 100);
        if (type === 'payout' && status !== 'failed') available -= cents;
        if (type === 'payout' && status === 'pending') reserved += cents;
        if (type === 'payin' && status === 'confirmed') available += cents - feeOf(method, cents);
      }
      const ves = read('/sandbox/v2/balances').balances.find(({ currency }) => currency === 'VES');
      const [free, held] = [available, reserved].map((cents) => (cents / 100).toFixed(2));
      expect(ves).toEqual({ currency: 'VES', available: free, reserved: held });
      [ended, open] = [ended + final.length, open + own.length - final.length];
      one.sandbox.close();
    });
    fc.assert(property, { numRuns: rounds(150) });
    expect(Math.min(ended, open)).toBeGreaterThan(rounds(60));
  });

  it('leaves a ledger that adds up to the balances', () => {
    const file = join(testFolder(), 'sandbox.db');
    const one = opened('one', undefined, file);
    const all = fc.sample(steps, { numRuns: 12, seed: 7 }).flat();
    live(
      one,
      all.filter((step) => step.do !== 'control' || step.path !== 'reset'),
    );
    one.sandbox.close();
    const db = new DatabaseSync(file);
    onTestFinished(() => db.close());
    const sums = db
      .prepare(
        `SELECT company, currency,
                sum(CASE kind WHEN 'reserve' THEN -minor WHEN 'fee' THEN -minor WHEN 'capture' THEN 0 ELSE minor END) AS available,
                sum(CASE kind WHEN 'reserve' THEN minor WHEN 'capture' THEN -minor WHEN 'release' THEN -minor ELSE 0 END) AS reserved
         FROM ledger GROUP BY company, currency ORDER BY company, currency`,
      )
      .all();
    const rows =
      'SELECT company, currency, available + 0 AS available, reserved + 0 AS reserved FROM balances';
    expect(db.prepare(`${rows} ORDER BY company, currency`).all()).toEqual(sums);
    expect(db.prepare('SELECT count(DISTINCT kind) AS kinds FROM ledger').get()).toEqual({ kinds: 5 });
  });
});
