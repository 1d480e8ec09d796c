/** What in the book stands in the way of a create, and what goes on as one more sending. */
import { describe, expect, it } from 'vitest';
import type { Journal, RecordOutcome } from '../../src/journal/journal.js';
import type { Leaving } from '../../src/journal/request.js';
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

interface Case {
  /** What is in the book already. */
  readonly first: Partial<Leaving>;
  readonly then: Partial<Leaving>;
  readonly laterMs?: number;
}

const server = await journalServer();

describe.each(journalKinds(server))('in $name', ({ open }) => {
  const ended = (outcome: RecordOutcome): string => {
    if ('kind' in outcome) return outcome.kind;
    return outcome.request.state === 'recorded' ? 'recorded' : 'repeats';
  };

  /** How the second create is looked at, with the first one open. */
  const kindAfter = async ({ first, then, laterMs = 0 }: Case): Promise<string> => {
    const journal = await open();
    await sent(journal, first);
    const kind = ended(await tried(journal, then, NOW_MS + laterMs));
    await journal.close();
    return kind;
  };

  /** The same, with the first one recorded. */
  const kindBeside = async ({ first, then }: Case): Promise<string> => {
    const journal = await open();
    await recorded(journal, first);
    const kind = ended(await tried(journal, then));
    await journal.close();
    return kind;
  };

  describe('with an open request in the book', () => {
    it.each<readonly [name: string, kind: string, world: Case]>([
      ['the same key and bytes', 'repeats', { first: {}, then: {} }],
      ['them after 23 hours', 'repeats', { first: {}, then: {}, laterMs: 23 * HOUR_MS }],
      ['them later than that', 'too_old', { first: {}, then: {}, laterMs: 23 * HOUR_MS + 1 }],
      ['them where the clock says nothing', 'too_old', { first: {}, then: {}, laterMs: -HOUR_MS }],
      ['them with another API key', 'other_sender', { first: {}, then: { keyPrint: 'print-2' } }],
      ['them of another company', 'recorded', { first: { keyPrint: 'other-1' }, then: {} }],
      [
        'them to another place',
        'other_sender',
        { first: {}, then: { address: 'embedded', origin: 'embedded' } },
      ],
      [
        'them to the same place, spelt otherwise',
        'repeats',
        { first: {}, then: { address: 'https://API.example.com/sandbox' } },
      ],
      ['other bytes with that key', 'recorded', { first: { body: EMP_5 }, then: {} }],
      ['the same reference with another key', 'recorded', { first: { body: EMP_5 }, then: OTHER_EMP_5 }],
    ])('%s', async (_name, kind, world) => {
      expect(await kindAfter(world)).toBe(kind);
    });
  });

  describe('with a recorded request in the book', () => {
    it.each<readonly [name: string, kind: string, world: Case]>([
      ['the same key and bytes', 'recorded', { first: {}, then: {} }],
      ['them with another API key', 'under_way', { first: {}, then: { keyPrint: 'print-2' } }],
      ['them of another company', 'recorded', { first: { keyPrint: 'other-1' }, then: {} }],
      [
        'the same reference, whatever else it says',
        'under_way',
        { first: { body: EMP_5 }, then: { ...OTHER_KEY, body: body({ amount: '7', reference: 'EMP  5' }) } },
      ],
      [
        'the same reference of nobody knows which company',
        'under_way',
        { first: { body: EMP_5 }, then: { ...OTHER_EMP_5, keyPrint: 'print-2' } },
      ],
      [
        'the same reference of another company',
        'recorded',
        { first: { body: EMP_5, keyPrint: 'other-1' }, then: OTHER_EMP_5 },
      ],
      [
        'another reference',
        'recorded',
        {
          first: { body: EMP_5 },
          then: { ...OTHER_KEY, body: body({ amount: '10.00', reference: 'Emp 6' }) },
        },
      ],
      [
        'the same reference the other way',
        'recorded',
        { first: { body: EMP_5 }, then: { ...OTHER_EMP_5, endpoint: 'payins.create', path: '/v2/payins' } },
      ],
      [
        'the same in the other environment',
        'recorded',
        { first: { body: EMP_5 }, then: { ...OTHER_EMP_5, environment: 'live' } },
      ],
      [
        'other bytes with the same key',
        'under_way',
        { first: { body: EMP_5 }, then: { body: body({ amount: '7', reference: 'Emp 5' }) } },
      ],
    ])('%s', async (_name, kind, world) => {
      expect(await kindBeside(world)).toBe(kind);
    });

    const nameless = (changes: object): Buffer =>
      body({ ...(JSON.parse(NAMELESS.toString()) as object), ...changes });
    it.each<readonly [name: string, kind: string, then: Partial<Leaving>]>([
      ['the same again', 'under_way', { body: NAMELESS }],
      [
        'it with other words',
        'under_way',
        { body: nameless({ concept: 'lease', amount: '10.0', currency: 'ves' }) },
      ],
      [
        'it for somebody of another name',
        'under_way',
        { body: nameless({ beneficiary: { account_number: '0105-1' } }) },
      ],
      ['another amount', 'recorded', { body: nameless({ amount: '10.01' }) }],
      ['another account', 'recorded', { body: nameless({ beneficiary: { account_number: '0105-2' } }) }],
      ['other metadata', 'recorded', { body: nameless({ metadata: { shop: 2 } }) }],
      ['no metadata', 'recorded', { body: nameless({ metadata: null }) }],
      ['a reference', 'recorded', { body: nameless({ reference: 'Emp 5' }) }],
      ['a key of its own', 'recorded', { body: NAMELESS, isOwnKey: true }],
    ])('without a reference: %s', async (_name, kind, then) => {
      const first = { body: NAMELESS, ...GENERATED };
      expect(await kindBeside({ first, then: { ...GENERATED, ...OTHER_KEY, ...then } })).toBe(kind);
    });

    it('without a reference: other words with the same key are no other payment', async () => {
      const then = { body: nameless({ concept: 'lease' }) };
      expect(await kindBeside({ first: { body: NAMELESS }, then })).toBe('under_way');
    });

    it('names the last that stands in the way, and writes nothing', async () => {
      const journal = await open();
      await recorded(journal, { body: EMP_5 });
      const { request } = await recorded(journal, { ...OTHER_KEY, body: NAMELESS });
      const outcome = await tried(journal, { idempotencyKey: 'key-00000003', body: NAMELESS, ...GENERATED });
      expect(outcome).toMatchObject({ isNew: true });
      const twin = await tried(journal, { ...OTHER_KEY, body: nameless({ concept: 'lease' }) });
      expect(twin).toMatchObject({ kind: 'under_way', request: { row: request.row, state: 'recorded' } });
      expect(await journal.open()).toEqual([]);
      await journal.close();
    });
  });

  describe('an open request', () => {
    it('that was forgotten is sent again by its own key alone', async () => {
      const journal = await open();
      await sent(journal, { body: EMP_5 });
      await journal.forget();
      await journal.sweep(NOW_MS + 1000 * DAY_MS);
      expect(await journal.withKey('key-00000001')).toMatchObject([{ state: 'forgotten' }]);
      const again = await sent(journal, { body: EMP_5 });
      expect(again).toMatchObject({ isNew: false, request: { state: 'open', firstLeftMs: NOW_MS } });
      expect(Buffer.from((await journal.open())[0]!.body)).toEqual(EMP_5);
      await journal.close();
    });

    it('is never sent again where another payment was sent in its place', async () => {
      const journal = await open();
      const { request: over } = await sent(journal, { body: EMP_5 });
      const { request } = await recorded(journal, { ...OTHER_KEY, body: EMP_5 });
      expect(await cleared(journal, request, { over })).toMatchObject({ state: 'open' });
      expect(await tried(journal, { body: EMP_5 })).toMatchObject({ kind: 'replaced' });
      expect(await cleared(journal, over)).toBeNull();
      expect(await journal.withKey(over.idempotencyKey)).toMatchObject([{ mayNotRepeat: true }]);
      await journal.close();
    });

    it('lets nothing be sent in its place once more of it was sent', async () => {
      const [journal, later] = [await open(), 'key-00000003'];
      const { request: over } = await sent(journal, { body: EMP_5 });
      const { request } = await recorded(journal, { ...OTHER_KEY, body: EMP_5 });
      expect(await cleared(journal, over)).not.toBeNull();
      expect(await cleared(journal, request, { over })).toBeNull();
      expect(await journal.withKey(over.idempotencyKey)).toMatchObject([{ mayNotRepeat: false }]);
      await journal.release(request);
      // Nor once it has become something.
      const [known] = await journal.withKey(over.idempotencyKey);
      const { request: third } = await recorded(journal, { idempotencyKey: later, body: EMP_5 });
      await journal.settle(over, settled());
      expect(await cleared(journal, third, { over: known })).toBeNull();
      expect(await journal.withKey(later)).toEqual([]);
      await journal.close();
    });
  });

  describe('with a settled request in the book', () => {
    const pay = async (journal: Journal, create: Partial<Leaving>): Promise<void> =>
      journal.settle((await sent(journal, create)).request, settled());

    it('its key and bytes are known for 23 hours, and refused after that', async () => {
      const journal = await open();
      await pay(journal, {});
      const again = await recorded(journal, {}, NOW_MS + 23 * HOUR_MS);
      expect(again).toMatchObject({ known: settled(), isNew: false });
      const open_ = await cleared(journal, again.request);
      expect(open_).toMatchObject({ state: 'open', firstLeftMs: NOW_MS });
      await journal.settle(open_!, settled());
      expect(await tried(journal, {}, NOW_MS + 23 * HOUR_MS + 1)).toMatchObject({
        kind: 'key_used',
        age: { kind: 'known', ms: 23 * HOUR_MS + 1 },
        request: { settled: settled() },
      });
      await journal.close();
    });

    it('a key that follows from the payment is said to be settled, at any age', async () => {
      const journal = await open();
      const derived = { ...GENERATED, generation: 1, body: EMP_5 };
      await pay(journal, derived);
      for (const laterMs of [0, 300 * DAY_MS])
        expect(await tried(journal, derived, NOW_MS + laterMs)).toMatchObject({
          ...{ kind: 'settled', request: { settled: settled(), generation: 1, follows: null } },
        });
      await journal.close();
    });

    it('an equal create with another key is not refused by the book itself', async () => {
      const journal = await open();
      await pay(journal, { body: EMP_5 });
      expect(await tried(journal, { ...OTHER_KEY, body: EMP_5 })).toMatchObject({ isNew: true, known: null });
      await journal.close();
    });

    it('a key belongs to a company: the same one of another is another request', async () => {
      const journal = await open();
      await pay(journal, { body: EMP_5, keyPrint: 'other-1' });
      const { request } = await sent(journal, { body: EMP_5 });
      await journal.settle(request, settled({ operation: 'operation-2' }));
      const both = await journal.withKey('key-00000001');
      expect(both.map((one) => one.settled?.operation)).toEqual(['operation-1', 'operation-2']);
      await journal.close();
    });
  });

  it('what left when nobody knew the time is not sent again, until an answer has said when that was', async () => {
    const journal = await open();
    const { request } = await recorded(journal);
    const left = await cleared(journal, request, { left: moment(NOW_MS, { serviceMs: null }) });
    expect(left).toMatchObject({ firstLeftMs: NOW_MS, left: { serviceMs: null } });
    expect(await tried(journal)).toMatchObject({ kind: 'too_old', age: { kind: 'time_unknown' } });
    await journal.keep(left!, { leftServiceMs: NOW_MS - 1000 });
    expect(await tried(journal)).toMatchObject({ isNew: false, request: { firstLeftMs: NOW_MS - 1000 } });
    await journal.close();
  });
});
