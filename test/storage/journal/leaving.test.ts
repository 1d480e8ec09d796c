import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { TimeAnchor } from '../../../src/contract/moment.js';
import type { Journal } from '../../../src/storage/journal/journal.js';
import type { UnsentRequest, OpenRequest } from '../../../src/storage/journal/request.js';
import { GivenProcesses, leaving, moment, NOW_MS } from './given.js';
import { opened, openedBy, recorded, sent, settled } from './given.js';
import { testFolder } from '../../support/test-folder.js';

const place = leaving();
const BOOT = 'boot-1';
const FIRST = { idempotencyKey: 'key-00000001' };

function left(journal: Journal, changes: Partial<UnsentRequest> = {}): Promise<OpenRequest | null> {
  const create = leaving({ idempotencyKey: 'key-00000002', isOwnKey: false, ...changes });
  return journal.recordAndClear(create, BOOT, () => ({ left: moment(NOW_MS), sender: create }));
}

const keysIn = async (journal: Journal): Promise<string[]> =>
  (await journal.ofTwins(place)).map(({ idempotencyKey }) => idempotencyKey);

describe('a create of which nothing is known', () => {
  it('is open, with its bytes, when it left and who sends it', async () => {
    const { journal, file } = opened();
    const request = await left(journal);
    const is = { state: 'open', sendings: 1, left: moment(NOW_MS) };
    expect(request).toMatchObject({ ...is, body: new Uint8Array(place.body) });
    expect(await openedBy(file, new GivenProcesses().seenBy(2)).open()).toEqual([request]);
  });

  it('is told the newest time of its place, and keeps the one that it leaves with', async () => {
    const { journal } = opened();
    const anchor: TimeAnchor = { serviceMs: NOW_MS, bootId: BOOT, bootMs: 5 };
    const told: (TimeAnchor | null)[] = [];
    const leave = (key: string): Promise<unknown> =>
      journal.recordAndClear(leaving({ idempotencyKey: key }), BOOT, (newest) => {
        told.push(newest);
        return { left: moment(NOW_MS), sender: place, anchor };
      });
    await leave('key-00000002');
    await leave('key-00000003');
    expect(told).toEqual([null, anchor]);
  });

  it('is not in the book where it may not leave yet', async () => {
    const { journal } = opened();
    expect(await journal.recordAndClear(place, BOOT, () => null)).toBeNull();
    expect(await keysIn(journal)).toEqual([]);
  });

  it.each([
    ['after an equal one whose outcome is known', { isOwnKey: false }],
    ['beside an equal one, where callers named both keys', { isOwnKey: true }],
  ])('leaves %s', async (_name, { isOwnKey }) => {
    const { journal } = opened();
    const { request } = await sent(journal, { isOwnKey });
    if (!isOwnKey) await journal.settle(request, settled());
    expect(await left(journal, { isOwnKey })).not.toBeNull();
  });
});

describe('nothing is done', () => {
  it.each([
    ['an equal one has no outcome yet', sent, {}],
    ['another process is about to send an equal one', recorded, {}],
    ['its key has left with these bytes', sent, FIRST],
    ['its key has left with other bytes', sent, { ...FIRST, body: Buffer.from('{"amount":"1.00"}') }],
  ])('where %s', async (_name, before, changes) => {
    const { journal } = opened();
    await before(journal, { isOwnKey: false });
    expect(await left(journal, changes)).toBeNull();
    expect(await keysIn(journal)).toEqual(['key-00000001']);
  });

  it('for what a process has recorded that is gone', async () => {
    const processes = new GivenProcesses();
    const file = join(testFolder(), 'requests.db');
    const dead = openedBy(file, processes.seenBy(1));
    await recorded(dead, { isOwnKey: false });
    await dead.close();
    processes.kill(1);
    const journal = openedBy(file, processes.seenBy(2));
    expect(await left(journal)).not.toBeNull();
    const kept = new DatabaseSync(file, { readOnly: true });
    const rows = kept.prepare('SELECT idempotency_key AS key FROM requests').all();
    expect(rows).toEqual([{ key: 'key-00000002' }]);
    kept.close();
  });
});
