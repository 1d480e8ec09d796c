import { describe, expect, it } from 'vitest';
import { referenceMark } from '../../../src/contract/marks.js';
import type { ReferenceQuery, Journal } from '../../../src/storage/journal/journal.js';
import type { CompanyMatch } from '../../../src/storage/journal/precedence.js';
import { bodyMembersOf } from '../../../src/client/request.js';
import { subjectOf, type JournalRequest, type UnsentRequest } from '../../../src/storage/journal/request.js';
import { body, cleared, DAY_MS, leaving, looked, moment, NOW_MS } from './given.js';
import { other, recorded, sent, settled, tried } from './given.js';
import { journalKinds, journalServer } from './journals.js';

const server = await journalServer();
const EMP_5: Partial<UnsentRequest> = { body: body({ amount: '10.00', reference: 'Emp 5' }) };
const OTHER_KEY = { idempotencyKey: 'key-00000002' };
const PLACE = { environment: 'sandbox', direction: 'payout' } as const;
const QUERY: ReferenceQuery = { ...PLACE, referenceMarks: [referenceMark('emp 5')] };

const states = async (journal: Journal): Promise<string[]> =>
  (await journal.afterRow(0)).map(({ state }) => state);

describe.each(journalKinds(server))('a create in $name', ({ open, share }) => {
  describe('that was recorded', () => {
    it('is in no list, is repeated by nobody, and stands where its reference is asked for', async () => {
      const { journal, request, isNew } = await recorded(await open(), EMP_5);
      expect([isNew, request.state, request.left, request.sendings]).toEqual([true, 'recorded', null, 0]);
      expect([await journal.open(), await journal.openForDisplay()]).toEqual([[], []]);
      expect(await journal.withKey(request.idempotencyKey)).toEqual([]);
      expect(await journal.hasLeft(request.idempotencyKey)).toBe(false);
      for (const found of [await journal.ofReferences(QUERY), await journal.afterRow(0)])
        expect(found).toMatchObject([{ row: request.row, state: 'recorded', left: null }]);
    });

    it('stands in the way of the same payment for as long as its process lives', async () => {
      const { first, second, kill } = await share();
      const { request } = await recorded(first, EMP_5);
      const outcome = await tried(second, { ...EMP_5, ...OTHER_KEY });
      expect(outcome).toMatchObject({ kind: 'under_way', request: { row: request.row } });
      await kill(1);
      expect(await recorded(second, { ...EMP_5, ...OTHER_KEY })).toMatchObject({ isNew: true });
      expect(await second.ofReferences(QUERY)).toMatchObject([OTHER_KEY]);
      expect(await cleared(first, request)).toBeNull();
      expect(await tried(first, EMP_5)).toMatchObject({ kind: 'under_way' });
    });

    it.each<readonly [name: string, ask: (journal: Journal) => Promise<JournalRequest[]>]>([
      ['references', (journal) => journal.ofReferences(QUERY)],
      ['what is new', (journal) => journal.afterRow(0)],
    ])('is gone for whoever asks for %s once its process is, and never leaves', async (_name, ask) => {
      const { first, second, kill } = await share();
      const { request } = await recorded(first, EMP_5);
      await kill(1);
      expect(await ask(second)).toEqual([]);
      expect(await cleared(first, request)).toBeNull();
      expect(await second.afterRow(0)).toEqual([]);
    });

    it('without a reference stands in the way of its twin alone', async () => {
      const { first, second, kill } = await share();
      const twin = { isOwnKey: false, ...OTHER_KEY };
      const { request } = await recorded(first, { isOwnKey: false });
      expect(await tried(second, twin)).toMatchObject({ kind: 'under_way' });
      const { twinMark, metadataMark } = subjectOf(
        'payouts.create',
        request.body!,
        bodyMembersOf(request.body),
      );
      const query = { ...PLACE, twinMark, metadataMark };
      expect(await second.ofTwins(query)).toMatchObject([{ row: request.row }]);
      expect(await second.ofTwins({ ...query, direction: 'payin' })).toEqual([]);
      expect(await second.ofTwins({ ...query, environment: 'live' })).toEqual([]);
      expect(await second.ofTwins({ ...query, metadataMark: referenceMark('other') })).toEqual([]);
      const another = { ...twin, body: body({ amount: '11.00' }) };
      expect(await recorded(second, another)).toMatchObject({ isNew: true });
      await kill(1);
      expect(await second.ofTwins(query)).toEqual([]);
    });

    it('is removed where it does not leave after all, by the last who wanted it to', async () => {
      const { first, second } = await share();
      const { request } = await recorded(first, EMP_5);
      expect(await recorded(second, EMP_5)).toMatchObject({ isNew: true, request: { row: request.row } });
      await first.release(request);
      expect(await states(first)).toEqual(['recorded']);
      await second.release(request);
      expect(await states(first)).toEqual([]);
    });

    it('lives as long as one of those who want it to leave', async () => {
      const { first, second, by, kill } = await share();
      const third = await by(3);
      const { request } = await recorded(first, EMP_5);
      await recorded(second, EMP_5);
      await kill(1);
      expect(await tried(third, { ...EMP_5, ...OTHER_KEY })).toMatchObject({ kind: 'under_way' });
      expect(await cleared(second, request)).not.toBeNull();
      expect(await states(third)).toEqual(['open']);
    });

    it('is not joined past another payment of its reference that is recorded', async () => {
      const journal = await open();
      const company = { keyPrint: 'other-1' };
      await recorded(journal, EMP_5);
      await recorded(journal, { ...EMP_5, ...OTHER_KEY, ...company });
      const create = { ...leaving(EMP_5), ...EMP_5 };
      const companyOf = (): CompanyMatch => 'same';
      const outcome = await journal.record(create, { ...looked(create, NOW_MS), companyOf });
      expect(outcome).toMatchObject({ kind: 'under_way', request: OTHER_KEY });
    });

    it('is removed by forget, which counts it, and leaves only recorded anew', async () => {
      const { journal, request } = await recorded(await open(), EMP_5);
      await sent(journal, other('open-key'));
      expect(await journal.forget(request.idempotencyKey)).toBe(1);
      expect(await journal.forget(request.idempotencyKey)).toBe(0);
      expect(await cleared(journal, request)).toBeNull();
      await recorded(journal, EMP_5);
      expect(await journal.forget()).toBe(2);
      expect(await journal.afterRow(0)).toEqual([]);
    });
  });

  describe('that was cleared', () => {
    it('has left by every clock, and is open for whoever asks', async () => {
      const { journal, request } = await recorded(await open(), EMP_5);
      const left = moment(NOW_MS + 5000, { bootId: 'boot-7', bootMs: 77.4 });
      const sender = { keyMask: 'mask', keyPrint: 'print-1', address: 'a', origin: request.origin };
      const open_ = await cleared(journal, request, { left, sender });
      const is = { row: request.row, state: 'open', sendings: 1, settled: null };
      const facts = { ...is, firstLeftMs: left.serviceMs };
      expect(open_).toMatchObject({ ...facts, ...sender });
      for (const [found] of [await journal.open(), await journal.ofReferences(QUERY)])
        expect(found).toMatchObject({ ...facts, ...sender, left: { ...left, bootMs: 77 } });
      expect(await journal.hasLeft(request.idempotencyKey)).toBe(true);
    });

    it('is cleared once: whoever joined it looks again, and sends one more', async () => {
      const { first, second } = await share();
      const [mine, theirs] = [await recorded(first, EMP_5), await recorded(second, EMP_5)];
      const open_ = await cleared(first, mine.request);
      expect(await cleared(second, theirs.request)).toBeNull();
      await second.release(theirs.request);
      expect(await first.open()).toMatchObject([{ sendings: 1 }]);
      const again = await sent(second, EMP_5, NOW_MS + 1000);
      expect(again).toMatchObject({ isNew: false, request: { sendings: 2, firstLeftMs: NOW_MS } });
      await first.withdraw(open_!);
      expect(await first.open()).toMatchObject([{ sendings: 1 }]);
      await second.settle(again.request, settled());
      expect(await first.open()).toEqual([]);
    });

    it('and was not carried out takes those with it who wanted to send the same', async () => {
      const { first, second } = await share();
      const [mine, theirs] = [await recorded(first, EMP_5), await recorded(second, EMP_5)];
      await first.withdraw((await cleared(first, mine.request))!);
      expect(await states(second)).toEqual([]);
      expect(await cleared(second, theirs.request)).toBeNull();
      expect(await recorded(second, EMP_5)).toMatchObject({ isNew: true });
    });

    it('stays open when its process dies, and its key alone sends it again', async () => {
      const { first, second, kill } = await share();
      const { request } = await sent(first, EMP_5);
      await kill(1);
      expect(await second.ofReferences(QUERY)).toMatchObject([{ row: request.row, state: 'open' }]);
      expect(await recorded(second, EMP_5)).toMatchObject({ isNew: false, request: { row: request.row } });
      expect(await second.open()).toHaveLength(1);
    });
  });

  describe('that became an operation', () => {
    const CREATED = { createdAtMs: NOW_MS - 1000 };
    it('says which, when it was made, of what amount, and whose account', async () => {
      const journal = await open();
      const create = {
        ...{ isOwnKey: false, follows: 'op-1', generation: 2 },
        body: body({
          ...{ amount: '7.5', currency: 'VES', reference: 'EMP 5' },
          beneficiary: { account_number: '0105-0012 ABCD' },
        }),
      };
      const { request } = await sent(journal, create);
      await journal.settle(request, settled({ ...CREATED, status: 'pending' }));
      expect(await journal.ofReferences(QUERY)).toMatchObject([
        {
          ...{ state: 'settled', settled: { ...settled(CREATED), status: 'pending' }, body: null },
          ...{ amount: '7.5', currency: 'VES', accountTail: 'abcd', follows: 'op-1', generation: 2 },
          ...{ keyMask: 'svc_test_...1a2b', address: 'https://api.example.com/sandbox', sendings: 0 },
        },
      ]);
    });

    it.each(['confirmed', 'failed'])('stays %s, whatever a later or an older answer says', async (status) => {
      const { journal, request } = await sent(await open(), EMP_5);
      await journal.settle(request, settled({ status: 'pending' }));
      await journal.noteStatus('OPERATION-1', status);
      const is = { settled: settled({ status }) };
      expect(await journal.ofReferences(QUERY)).toMatchObject([is]);
      for (const later of ['pending', status, 'else']) {
        await journal.noteStatus('operation-1', later);
        await journal.settle(request, settled({ operation: 'Operation-1', status: later, ...CREATED }));
        expect(await journal.ofReferences(QUERY)).toMatchObject([is]);
      }
    });

    it.each([
      ['confirmed', 'failed', 'note'],
      ['failed', 'confirmed', 'note'],
      ['confirmed', 'failed', 'settle'],
      ['failed', 'confirmed', 'settle'],
    ] as const)('%s, and then %s by %s, is contradicted until somebody is told', async (first, then, how) => {
      const { journal, request } = await sent(await open(), EMP_5);
      const say = (status: string): Promise<void> =>
        how === 'note'
          ? journal.noteStatus('OPERATION-1', status)
          : journal.settle(request, settled({ status, ...CREATED }));
      await journal.settle(request, settled({ status: first }));
      for (const later of [then, first, 'pending', then]) {
        await say(later);
        const [found] = await journal.ofReferences(QUERY);
        expect(found?.settled).toMatchObject({ operation: 'operation-1', status: 'contradicted' });
      }
      await journal.setStatus('Operation-1', then);
      expect(await journal.ofReferences(QUERY)).toMatchObject([{ settled: { status: then } }]);
    });

    it('keeps it against another one that failed, and not against one that did not', async () => {
      const { journal, request } = await sent(await open(), EMP_5);
      const is = async (): Promise<unknown> => (await journal.ofReferences(QUERY))[0]?.settled;
      const [failed, paid, last] = [
        settled({ status: 'failed' }),
        settled({ operation: 'operation-2' }),
        settled({ operation: 'operation-4', status: 'pending' }),
      ];
      for (const [now, then] of [
        [failed, failed],
        [paid, paid],
        [settled({ operation: 'operation-3', status: 'failed' }), paid],
        [last, last],
      ] as const) {
        await journal.settle(request, now);
        expect(await is()).toEqual(then);
      }
    });

    it('takes a status of nothing that it does not know', async () => {
      const { journal, request } = await sent(await open(), EMP_5);
      await journal.noteStatus('operation-1', 'confirmed');
      await journal.settle(request, settled({ status: 'pending' }));
      await journal.noteStatus('operation-10', 'confirmed');
      await journal.noteStatus('%', 'confirmed');
      expect(await journal.ofReferences(QUERY)).toMatchObject([{ settled: { status: 'pending' } }]);
    });

    it('is in the order of the book, among those of its reference', async () => {
      const journal = await open();
      const marks = [referenceMark('emp 6'), referenceMark('emp 5')];
      const emp6 = { idempotencyKey: 'key-00000006', body: body({ amount: '1', reference: 'emp 6' }) };
      const rows: number[] = [];
      for (const create of [EMP_5, emp6, { ...EMP_5, ...OTHER_KEY }]) {
        const { request } = await sent(journal, create, NOW_MS - rows.length * DAY_MS);
        rows.push(request.row);
      }
      const found = await journal.ofReferences({ ...QUERY, referenceMarks: marks });
      expect(found.map(({ row }) => row)).toEqual(rows);
    });
  });

  describe('the time of its service', () => {
    const [HERE, ELSEWHERE] = [
      { environment: 'live', origin: 'https://a.example' },
      { environment: 'live', origin: 'https://b.example' },
    ] as const;
    const anchor = (bootId: string, serviceMs: number) => ({ bootId, bootMs: 5, serviceMs });

    it('is that of this boot, else the newest, of one place', async () => {
      const journal = await open();
      expect(await journal.newestTime(HERE, 'one')).toBeNull();
      await journal.noteTime(HERE, anchor('one', 100));
      await journal.noteTime(HERE, anchor('two', 300));
      await journal.noteTime(HERE, anchor('three', 200));
      expect(await journal.newestTime(HERE, 'one')).toEqual(anchor('one', 100));
      expect(await journal.newestTime(HERE, 'four')).toEqual(anchor('two', 300));
      expect(await journal.newestTime({ ...HERE, environment: 'sandbox' }, 'one')).toBeNull();
      expect(await journal.newestTime(ELSEWHERE, 'one')).toBeNull();
    });

    it('never goes back live, and begins anew in a sandbox', async () => {
      const journal = await open();
      const sandbox = { ...HERE, environment: 'sandbox' } as const;
      for (const serviceMs of [300, 100]) {
        await journal.noteTime(HERE, anchor('one', serviceMs));
        await journal.noteTime(sandbox, anchor('one', serviceMs));
      }
      expect(await journal.newestTime(HERE, 'one')).toEqual(anchor('one', 300));
      expect(await journal.newestTime(sandbox, 'one')).toEqual(anchor('one', 100));
    });

    it('is kept with what leaves, and with what is learnt of it, and goes with its place', async () => {
      const journal = await open();
      const place = leaving();
      const is = async (): Promise<number | undefined> => (await journal.newestTime(place, 'one'))?.serviceMs;
      const { request } = await recorded(journal, EMP_5);
      const open_ = await cleared(journal, request, { anchor: anchor('one', 100) });
      expect(await is()).toBe(100);
      await journal.keepOpen(open_!, { anchor: anchor('one', 200) });
      expect(await is()).toBe(200);
      await journal.settle(open_!, settled(), { anchor: anchor('one', 300) });
      expect(await is()).toBe(300);
      await journal.settle(open_!, settled(), { anchor: null });
      await journal.drop('sandbox', 'https://b.example');
      expect(await is()).toBe(300);
      await journal.drop('sandbox', place.origin);
      expect(await is()).toBeUndefined();
    });
  });
});
