import { describe, expect, it } from 'vitest';
import type { Journal, RecordOutcome } from '../../../src/storage/journal/journal.js';
import type { UnsentRequest } from '../../../src/storage/journal/request.js';
import { body, cleared, DAY_MS, HOUR_MS, moment, NOW_MS, recorded, sent, settled, tried } from './given.js';
import { journalKinds, journalServer } from './journals.js';

const EMP_5 = body({ amount: '10.00', reference: 'Emp 5' });
const NAMELESS = body({
  ...{ amount: '10.00', currency: 'VES', reference: null, concept: 'rent' },
  ...{ beneficiary: { name: 'A', account_number: '0105-1' }, metadata: { shop: 1 } },
});
const OTHER_KEY = { idempotencyKey: 'key-00000002' };
const OTHER_EMP_5 = { ...OTHER_KEY, body: EMP_5 };
const GENERATED = { isOwnKey: false };

type Create = Partial<UnsentRequest>;

const server = await journalServer();

describe.each(journalKinds(server))('in $name', ({ open }) => {
  const ended = (outcome: RecordOutcome): string => {
    if ('kind' in outcome) return outcome.kind;
    return outcome.request.state === 'recorded' ? 'recorded' : 'repeats';
  };

  type Put = (journal: Journal, changes: Create) => Promise<unknown>;
  const kindOf = async (put: Put, first: Create, then: Create, laterMs = 0): Promise<string> => {
    const journal = await open();
    await put(journal, first);
    return ended(await tried(journal, then, NOW_MS + laterMs));
  };
  const EMBEDDED = { address: 'embedded', origin: 'embedded' };
  const ELSEWHERE = { ...OTHER_EMP_5, endpoint: 'payins.create' as const, path: '/v2/payins' };
  const said = (amount: string, reference: string) => ({ body: body({ amount, reference }) });

  it.each<[string, string, Create, Create, number?]>([
    ['the same key and bytes', 'repeats', {}, {}],
    ['them after 23 hours', 'repeats', {}, {}, 23 * HOUR_MS],
    ['them later than that', 'too_old', {}, {}, 23 * HOUR_MS + 1],
    ['them where the clock says nothing', 'too_old', {}, {}, -HOUR_MS],
    ['them with another API key', 'other_sender', {}, { keyPrint: 'print-2' }],
    ['them of another company', 'recorded', { keyPrint: 'other-1' }, {}],
    ['them to another place', 'other_sender', {}, EMBEDDED],
    [
      'them to the same place, spelt otherwise',
      'repeats',
      {},
      { address: 'https://API.example.com/sandbox' },
    ],
    ['other bytes with that key', 'recorded', { body: EMP_5 }, {}],
    ['the same reference with another key', 'recorded', { body: EMP_5 }, OTHER_EMP_5],
  ])('with an open request in the book: %s', async (_name, kind, first, then, laterMs = 0) => {
    expect(await kindOf(sent, first, then, laterMs)).toBe(kind);
  });

  describe('with a recorded request in the book', () => {
    it.each<[string, string, Create, Create, number?]>([
      ['the same key and bytes', 'recorded', {}, {}],
      ['them with another API key', 'under_way', {}, { keyPrint: 'print-2' }],
      ['them of another company', 'recorded', { keyPrint: 'other-1' }, {}],
      ['the same reference', 'under_way', { body: EMP_5 }, { ...OTHER_KEY, ...said('7', 'EMP  5') }],
      ['it of an unknown company', 'under_way', { body: EMP_5 }, { ...OTHER_EMP_5, keyPrint: 'print-2' }],
      ['it of another company', 'recorded', { body: EMP_5, keyPrint: 'other-1' }, OTHER_EMP_5],
      ['another reference', 'recorded', { body: EMP_5 }, { ...OTHER_KEY, ...said('10.00', 'Emp 6') }],
      ['the same reference the other way', 'recorded', { body: EMP_5 }, ELSEWHERE],
      ['it in the other environment', 'recorded', { body: EMP_5 }, { ...OTHER_EMP_5, environment: 'live' }],
      ['other bytes with the same key', 'under_way', { body: EMP_5 }, said('7', 'Emp 5')],
    ])('%s', async (_name, kind, first, then) => expect(await kindOf(recorded, first, then)).toBe(kind));

    const nameless = (changes: object): Buffer =>
      body({ ...(JSON.parse(NAMELESS.toString()) as object), ...changes });
    it.each<[string, string, object, boolean?]>([
      ['the same again', 'under_way', {}],
      ['it with other words', 'under_way', { concept: 'lease', amount: '10.0', currency: 'ves' }],
      ['it for somebody of another name', 'under_way', { beneficiary: { account_number: '0105-1' } }],
      ['another amount', 'recorded', { amount: '10.01' }],
      ['another account', 'recorded', { beneficiary: { account_number: '0105-2' } }],
      ['other metadata', 'recorded', { metadata: { shop: 2 } }],
      ['no metadata', 'recorded', { metadata: null }],
      ['a reference', 'recorded', { reference: 'Emp 5' }],
      ['a key of its own', 'recorded', {}, true],
    ])('without a reference: %s', async (_name, kind, changes, isOwnKey = false) => {
      const first = { body: NAMELESS, ...GENERATED };
      const then = { ...OTHER_KEY, isOwnKey, body: nameless(changes) };
      expect(await kindOf(recorded, first, then)).toBe(kind);
    });

    it('without a reference: other words with the same key are no other payment', async () => {
      const then = { body: nameless({ concept: 'lease' }) };
      expect(await kindOf(recorded, { body: NAMELESS }, then)).toBe('under_way');
    });

    it('names the last that stands in the way, and writes nothing', async () => {
      const { journal } = await recorded(await open(), { body: EMP_5 });
      const { request } = await recorded(journal, { ...OTHER_KEY, body: NAMELESS });
      const outcome = await tried(journal, { idempotencyKey: 'key-00000003', body: NAMELESS, ...GENERATED });
      expect(outcome).toMatchObject({ isNew: true });
      const twin = await tried(journal, { ...OTHER_KEY, body: nameless({ concept: 'lease' }) });
      expect(twin).toMatchObject({ kind: 'under_way', request: { row: request.row, state: 'recorded' } });
      expect(await journal.open()).toEqual([]);
    });
  });

  describe('an open request', () => {
    it('that was forgotten is sent again by its own key alone', async () => {
      const { journal } = await sent(await open(), { body: EMP_5 });
      await journal.forget();
      await journal.sweep(NOW_MS + 1000 * DAY_MS);
      expect(await journal.withKey('key-00000001')).toMatchObject([{ state: 'forgotten' }]);
      const again = await sent(journal, { body: EMP_5 });
      expect(again).toMatchObject({ isNew: false, request: { state: 'open', firstLeftMs: NOW_MS } });
      expect(Buffer.from((await journal.open())[0]!.body)).toEqual(EMP_5);
    });

    it('is never sent again where another payment was sent in its place', async () => {
      const { journal, request: predecessor } = await sent(await open(), { body: EMP_5 });
      const { request } = await recorded(journal, { ...OTHER_KEY, body: EMP_5 });
      expect(await cleared(journal, request, { predecessor })).toMatchObject({ state: 'open' });
      expect(await tried(journal, { body: EMP_5 })).toMatchObject({ kind: 'replaced' });
      expect(await cleared(journal, predecessor)).toBeNull();
      expect(await journal.withKey(predecessor.idempotencyKey)).toMatchObject([{ mayNotRepeat: true }]);
    });

    it('lets nothing be sent in its place once more of it was sent', async () => {
      const [journal, later] = [await open(), 'key-00000003'];
      const { request: predecessor } = await sent(journal, { body: EMP_5 });
      const { request } = await recorded(journal, { ...OTHER_KEY, body: EMP_5 });
      expect(await cleared(journal, predecessor)).not.toBeNull();
      expect(await cleared(journal, request, { predecessor })).toBeNull();
      expect(await journal.withKey(predecessor.idempotencyKey)).toMatchObject([{ mayNotRepeat: false }]);
      await journal.release(request);
      const [known] = await journal.withKey(predecessor.idempotencyKey);
      const { request: third } = await recorded(journal, { idempotencyKey: later, body: EMP_5 });
      await journal.settle(predecessor, settled());
      expect(await cleared(journal, third, { predecessor: known })).toBeNull();
      expect(await journal.withKey(later)).toEqual([]);
    });
  });

  describe('with a settled request in the book', () => {
    const pay = async (journal: Journal, create: Partial<UnsentRequest>): Promise<void> =>
      journal.settle((await sent(journal, create)).request, settled());

    it('its key and bytes are known for 23 hours, and refused after that', async () => {
      const journal = await open();
      await pay(journal, {});
      const again = await recorded(journal, {}, NOW_MS + 23 * HOUR_MS);
      expect(again).toMatchObject({ settlement: settled(), isNew: false });
      const open_ = await cleared(journal, again.request);
      expect(open_).toMatchObject({ state: 'open', firstLeftMs: NOW_MS });
      await journal.settle(open_!, settled());
      expect(await tried(journal, {}, NOW_MS + 23 * HOUR_MS + 1)).toMatchObject({
        kind: 'key_used',
        age: { kind: 'known', ms: 23 * HOUR_MS + 1 },
        request: { settled: settled() },
      });
    });

    it('a key that follows from the payment is said to be settled, at any age', async () => {
      const journal = await open();
      const derived = { ...GENERATED, generation: 1, body: EMP_5 };
      await pay(journal, derived);
      for (const laterMs of [0, 300 * DAY_MS])
        expect(await tried(journal, derived, NOW_MS + laterMs)).toMatchObject({
          ...{ kind: 'settled', request: { settled: settled(), generation: 1, follows: null } },
        });
    });

    it('an equal create with another key is not refused by the book itself', async () => {
      const journal = await open();
      await pay(journal, { body: EMP_5 });
      expect(await tried(journal, { ...OTHER_KEY, body: EMP_5 })).toMatchObject({
        isNew: true,
        settlement: null,
      });
    });

    it('a key belongs to a company: the same one of another is another request', async () => {
      const journal = await open();
      await pay(journal, { body: EMP_5, keyPrint: 'other-1' });
      const { request } = await sent(journal, { body: EMP_5 });
      await journal.settle(request, settled({ operation: 'operation-2' }));
      const both = await journal.withKey('key-00000001');
      expect(both.map((one) => one.settled?.operation)).toEqual(['operation-1', 'operation-2']);
    });
  });

  it('what left when nobody knew the time is not sent again, until an answer has said when that was', async () => {
    const { journal, request } = await recorded(await open());
    const left = await cleared(journal, request, { left: moment(NOW_MS, { serviceMs: null }) });
    expect(left).toMatchObject({ firstLeftMs: NOW_MS, left: { serviceMs: null } });
    expect(await tried(journal)).toMatchObject({ kind: 'too_old', age: { kind: 'time_unknown' } });
    await journal.keepOpen(left!, { leftServiceMs: NOW_MS - 1000 });
    expect(await tried(journal)).toMatchObject({ isNew: false, request: { firstLeftMs: NOW_MS - 1000 } });
  });
});
