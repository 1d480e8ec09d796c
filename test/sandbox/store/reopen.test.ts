import { chmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/sandbox.js';
import { testFolder } from '../../support/test-folder.js';
import { ask, opened, PAYOUT } from './request.js';

function seenIn(sandbox: Sandbox, id: string): string[] {
  const paths = [`/v2/payouts/${id}`, '/v2/balances', '/v2/events', '/_control/clock'];
  return [sandbox.apiKey, ...paths.map((path) => ask(sandbox, 'GET', path).text)];
}

describe('a store that is opened again', () => {
  it('has the same key, operations, balances, events, cursors, clock and counters', () => {
    const file = join(testFolder(), 'sandbox.db');
    const first = opened(file, 'first');
    const created = ask(first, 'POST', '/v2/payouts', PAYOUT, 'key-number-1');
    const page = ask(first, 'GET', '/v2/events');
    ask(first, 'POST', '/_control/clock', { advance_seconds: 3600 });
    const before = seenIn(first, created.json.id);
    first.close();

    const second = opened(file, 'second');
    expect(seenIn(second, created.json.id)).toEqual(before);
    expect(ask(second, 'POST', '/v2/payouts', PAYOUT, 'key-number-1').json.id).toBe(created.json.id);
    const later = ask(second, 'POST', '/v2/payouts', PAYOUT, 'key-number-2').json;
    expect(later.bank_reference).toBe('00000002');
    const rest = ask(second, 'GET', `/v2/events?cursor=${page.json.next_cursor ?? ''}`).json;
    expect(rest.events.map(({ data }) => data.id)).toEqual([later.id]);
    second.close();
  });

  it('keeps an armed fault and how often it still applies', () => {
    const file = join(testFolder(), 'sandbox.db');
    const first = opened(file);
    ask(first, 'POST', '/_control/faults', { route: 'balances', status: 503, count: 2 });
    expect(ask(first, 'GET', '/v2/balances').status).toBe(503);
    first.close();
    const second = opened(file, 'second');
    expect(ask(second, 'GET', '/v2/balances').status).toBe(503);
    expect(ask(second, 'GET', '/v2/balances').status).toBe(200);
    second.close();
  });
});

describe('the file', () => {
  it('is 0600 with its companions, in a folder that is 0700 where it had to be made', () => {
    const folder = join(testFolder(), 'a', 'b');
    const file = join(folder, 'sandbox.db');
    const sandbox = opened(file);
    ask(sandbox, 'POST', '/v2/payouts', PAYOUT, 'key-number-1');
    const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
    expect(modeOf(folder)).toBe('700');
    expect([file, `${file}-wal`, `${file}-shm`].map(modeOf)).toEqual(['600', '600', '600']);
    sandbox.close();
  });

  it('loses the rights that others had', () => {
    const file = join(testFolder(), 'sandbox.db');
    opened(file).close();
    chmodSync(file, 0o644);
    opened(file).close();
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});
