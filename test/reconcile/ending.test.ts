import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/runtime/failure.js';
import { Stopped } from '../../src/runtime/ports.js';
import { refused } from '../support/feed-line.js';
import { incomingTransfer, payout } from '../support/requests.js';
import { eachWorld } from '../support/svc.js';
import { feed, ledger, linesOf, paid, reconcile } from './given-lines.js';

const home = eachWorld('2026-09-02T08:00:00Z');

const events = Array.from({ length: 300 }, (_, at) => paid({ number: at + 1 }));
const rows = events.map((_, at) => `pay-${String(at + 1)},0.01`);
const leftovers = (): string[] => {
  const cache = join(home.home, '.cache/svc');
  return existsSync(cache) ? readdirSync(cache).filter((name) => name.startsWith('reconcile')) : [];
};

it('a disk that is full under standard output is 16', async () => {
  const writeError = new Failure('local_state', 'Standard output could not be written. The disk is full.');
  const options = { breakAfterWrites: 0, writeError };
  const result = await reconcile(home, feed(events), [ledger(home, rows)], options);
  expect([result.exitCode, leftovers()]).toEqual([16, []]);
});

describe('a signal', () => {
  it.each([
    ['while events are read', 2],
    ['before', 0],
  ])('%s ends it with 130, and nothing is printed', async (_, at) => {
    const stop = new AbortController();
    const end = new Stopped('SIGINT', 130);
    if (at === 0) stop.abort(end);
    const transport = feed(events, (count) => {
      if (count === at) stop.abort(end);
      return undefined;
    });
    const result = await reconcile(home, transport, [ledger(home, rows)], { signal: stop.signal });
    expect([result.exitCode, result.stdout, leftovers()]).toEqual([130, '', []]);
  });

  it('while findings are printed ends it with 130', async () => {
    const stop = new AbortController();
    const onData = (): void => stop.abort(new Stopped('SIGINT', 130));
    const options = { signal: stop.signal, onData };
    const result = await reconcile(home, feed(events), [ledger(home, rows), '--json'], options);
    expect([result.exitCode, leftovers()]).toEqual([130, []]);
    expect(result.stdout.trimEnd().split('\n').length).toBeLessThan(events.length);
  });
});

it.each(['unauthorized', 'scope_missing'])('a service that refuses is 4: %s', async (code) => {
  const refusing = feed(events, () => refused(code === 'unauthorized' ? 401 : 403, code));
  const result = await reconcile(home, refusing, [ledger(home, rows)]);
  expect([result.exitCode, result.stdout]).toEqual([4, '']);
});

it('two runs at once are both right', async () => {
  const path = ledger(home, ['pay-1,1.50', 'pay-2,2.50']);
  const two = [paid({ number: 1 }), paid({ number: 2 })];
  const both = await Promise.all([1, 2].map(() => reconcile(home, feed(two), [path])));
  expect(both.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
});

describe('--offline', () => {
  it('asks nothing, and says up to when the service is known', async () => {
    const path = ledger(home, ['pay-1,1.50']);
    await reconcile(home, feed([paid({ number: 1 })]), [path]);
    let asked = 0;
    const later = feed([paid({ number: 1 }), paid({ number: 2 })], () => ((asked += 1), undefined));
    const result = await reconcile(home, later, [path, '--offline']);
    expect([result.exitCode, asked]).toEqual([0, 0]);
    expect(result.stderr).toContain('did not ask the service. It knows events up to 2026-09-01T12:00:00Z.');
    expect(linesOf(result).summary).toMatchObject({ known_until: '2026-09-01T12:00:00Z' });
    expect((await reconcile(home, later, [path])).exitCode).toBe(18);
  });

  it('compares with nothing where nothing is known: 16, and what to type first', async () => {
    const path = ledger(home, ['pay-1,1.50']);
    const result = await reconcile(home, feed([]), [path, '--offline', '--sandbox']);
    expect([result.exitCode, result.stdout]).toEqual([16, '']);
    expect(result.error()).toMatchObject({ next_command: 'svc events sync --sandbox' });
  });
});

describe('with nothing configured, against the embedded sandbox', () => {
  it('what was paid there agrees', async () => {
    const made = (await home.svc([...payout(), '--reference', 'rent-1'])).json();
    const path = ledger(home, [`rent-1,${String(made['amount'])}`]);
    const result = await home.svc(['reconcile', path]);
    expect(result.exitCode, result.stderr).toBe(0);
  });

  it('what waits is pending where a line says that it is paid, and no difference where none does', async () => {
    const { amount, currency } = (await home.svc([...incomingTransfer(), '--reference', 'order-1'])).json();
    const header = 'reference,amount,currency';
    const none = await home.svc(['reconcile', ledger(home, ['gone,1,VES'], header), '--json']);
    const pending = { class: 'pending', here: [], there: [{ reference: 'order-1', status: 'pending' }] };
    expect(linesOf(none).findings).toMatchObject([pending, { class: 'only_here' }]);
    const path = ledger(home, [`order-1,${String(amount)},${String(currency)}`], header);
    const result = await home.svc(['reconcile', path, '--json']);
    expect(result.exitCode).toBe(18);
    expect(linesOf(result).findings).toMatchObject([{ class: 'pending', here: [{ line: 2 }] }]);
  });
});
