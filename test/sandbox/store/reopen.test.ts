/** A store outlives the process that wrote it, whole; and a file that cannot be used is told apart from a defect. */
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSandbox, type Sandbox } from '../../../src/sandbox/sandbox.js';
import { DatabaseUnusable } from '../../../src/runtime/database-unusable.js';
import { fakeClock } from '../support/clock.js';
import { seededRandom } from '../support/random.js';
import { testFolder } from '../../support/test-folder.js';
import { ask, PAYOUT } from './request.js';

function open(store: string, seed?: string): Sandbox {
  return openSandbox({ store, clock: fakeClock(), random: seededRandom(seed) });
}

function problemOf(store: string): string {
  try {
    open(store, 'other').close();
  } catch (error) {
    if (error instanceof DatabaseUnusable) return error.problem;
    throw error;
  }
  return 'none';
}

describe('a store that is opened again', () => {
  it('has the same key, operations, balances, events, cursors, clock and counters', () => {
    const file = join(testFolder(), 'sandbox.db');
    const first = open(file, 'first');
    const created = ask(first, 'POST', '/v2/payouts', PAYOUT, 'key-number-1');
    const page = ask(first, 'GET', '/v2/events');
    ask(first, 'POST', '/_control/clock', { advance_seconds: 3600 });
    const before = {
      key: first.apiKey,
      operation: ask(first, 'GET', `/v2/payouts/${created.json.id}`).text,
      balances: ask(first, 'GET', '/v2/balances').text,
      events: page.text,
      now: ask(first, 'GET', '/_control/clock').text,
    };
    first.close();

    const second = open(file, 'second');
    expect({
      key: second.apiKey,
      operation: ask(second, 'GET', `/v2/payouts/${created.json.id}`).text,
      balances: ask(second, 'GET', '/v2/balances').text,
      events: ask(second, 'GET', '/v2/events').text,
      now: ask(second, 'GET', '/_control/clock').text,
    }).toEqual(before);
    expect(ask(second, 'POST', '/v2/payouts', PAYOUT, 'key-number-1').json.id).toBe(created.json.id);
    const later = ask(second, 'POST', '/v2/payouts', PAYOUT, 'key-number-2').json;
    expect(later.bank_reference).toBe('00000002');
    const rest = ask(second, 'GET', `/v2/events?cursor=${page.json.next_cursor ?? ''}`).json;
    expect(rest.events.map(({ data }) => data.id)).toEqual([later.id]);
    second.close();
  });

  it('keeps an armed fault and how often it still applies', () => {
    const file = join(testFolder(), 'sandbox.db');
    const first = open(file);
    ask(first, 'POST', '/_control/faults', { route: 'balances', status: 503, count: 2 });
    expect(ask(first, 'GET', '/v2/balances').status).toBe(503);
    first.close();
    const second = open(file, 'second');
    expect(ask(second, 'GET', '/v2/balances').status).toBe(503);
    expect(ask(second, 'GET', '/v2/balances').status).toBe(200);
    second.close();
  });
});

describe('the file', () => {
  it('is 0600 with its companions, in a folder that is 0700 where it had to be made', () => {
    const folder = join(testFolder(), 'a', 'b');
    const file = join(folder, 'sandbox.db');
    const sandbox = open(file);
    ask(sandbox, 'POST', '/v2/payouts', PAYOUT, 'key-number-1');
    const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
    expect(modeOf(folder)).toBe('700');
    expect([file, `${file}-wal`, `${file}-shm`].map(modeOf)).toEqual(['600', '600', '600']);
    sandbox.close();
  });

  it('loses the rights that others had', () => {
    const file = join(testFolder(), 'sandbox.db');
    open(file).close();
    chmodSync(file, 0o644);
    open(file).close();
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});

describe('a file that cannot be used', () => {
  it('is refused when a newer version wrote it, and not touched', () => {
    const file = join(testFolder(), 'sandbox.db');
    open(file).close();
    const db = new DatabaseSync(file);
    db.exec('PRAGMA user_version = 999');
    db.close();
    const before = readFileSync(file);
    expect(problemOf(file)).toBe('newer');
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it('is refused when it is the database of another program, and not touched', () => {
    const file = join(testFolder(), 'other.db');
    const db = new DatabaseSync(file);
    db.exec('CREATE TABLE theirs (x)');
    db.close();
    const before = readFileSync(file);
    expect(problemOf(file)).toBe('foreign');
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it('is refused when it is no database', () => {
    const file = join(testFolder(), 'sandbox.db');
    writeFileSync(file, 'not a database '.repeat(1000));
    expect(problemOf(file)).toBe('damaged');
  });

  it('is refused when pages in its middle are overwritten', () => {
    const file = join(testFolder(), 'sandbox.db');
    open(file).close();
    const bytes = readFileSync(file);
    bytes.fill(0xff, 4096);
    writeFileSync(file, bytes);
    expect(problemOf(file)).toBe('damaged');
  });

  it('is refused when it is a folder, or lies beneath a file', () => {
    const folder = testFolder();
    mkdirSync(join(folder, 'sandbox.db'));
    writeFileSync(join(folder, 'file'), '');
    expect(problemOf(join(folder, 'sandbox.db'))).toBe('unwritable');
    expect(problemOf(join(folder, 'file', 'sandbox.db'))).toBe('unwritable');
  });

  it('is a failure of local state with exit code 16, and nothing was sent', () => {
    const file = join(testFolder(), 'sandbox.db');
    writeFileSync(file, 'x'.repeat(5000));
    expect(() => open(file)).toThrow(
      expect.objectContaining({
        exitCode: 16,
        facts: expect.objectContaining({ outcome: 'not_sent' }) as object,
      }),
    );
    expect(existsSync(`${file}-wal`)).toBe(false);
  });
});
