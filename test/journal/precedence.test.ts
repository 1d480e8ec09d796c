/** What in the book stands in the way of a create, and what goes on as one more sending. */
import { describe, expect, it } from 'vitest';
import type { Journal } from '../../src/journal/journal.js';
import type { Leaving } from '../../src/journal/request.js';
import { body, cleared, DAY_MS, HOUR_MS, moment, NOW_MS, recorded, sent, settled, tried } from './given.js';
import { journalKinds, journalServer } from './journals.js';

const EMP_5 = body({ amount: '10.00', reference: 'Emp 5' });
const NAMELESS = body({
  ...{ amount: '10.00', currency: 'VES', reference: null, concept: 'rent' },
  ...{ beneficiary: { name: 'A', account_number: '0105-1' }, metadata: { shop: 1 } },
});
const OTHER_KEY = { idempotencyKey: 'key-00000002' };
const GENERATED = { isOwnKey: false };

interface Case {
  /** What is in the book already. */
  readonly first: Partial<Leaving>;
  readonly then: Partial<Leaving>;
  readonly laterMs?: number;
}

const server = await journalServer();

describe.each(journalKinds(server))('in $name', ({ open }) => {
  /** How the second create is looked at, with the first one open. */
  const kindAfter = async ({ first, then, laterMs = 0 }: Case, passesOpen = false): Promise<string> => {
    const journal = await open();
    await sent(journal, first);
    const outcome = await tried(journal, then, NOW_MS + laterMs, passesOpen);
    await journal.close();
    if ('kind' in outcome) return outcome.kind;
    return outcome.isNew ? 'new' : 'repeats';
  };

  describe('with an open request in the book', () => {
    it.each<readonly [name: string, kind: string, world: Case]>([
      ['the same key and bytes', 'repeats', { first: {}, then: {} }],
      ['them after 23 hours', 'repeats', { first: {}, then: {}, laterMs: 23 * HOUR_MS }],
      ['them later than that', 'too_old', { first: {}, then: {}, laterMs: 23 * HOUR_MS + 1 }],
      ['them where the clock says nothing', 'too_old', { first: {}, then: {}, laterMs: -HOUR_MS }],
      ['them with another API key', 'other_sender', { first: {}, then: { keyPrint: 'print-2' } }],
      ['them of another company', 'new', { first: { keyPrint: 'other-1' }, then: {} }],
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
      [
        'the same reference, whatever else it says',
        'open',
        { first: { body: EMP_5 }, then: { ...OTHER_KEY, body: body({ amount: '7', reference: 'EMP  5' }) } },
      ],
      [
        'the same reference, years later',
        'open',
        { first: { body: EMP_5 }, then: { ...OTHER_KEY, body: EMP_5 }, laterMs: 2000 * DAY_MS },
      ],
      [
        'the same reference of nobody knows which company',
        'open',
        { first: { body: EMP_5 }, then: { ...OTHER_KEY, body: EMP_5, keyPrint: 'print-2' } },
      ],
      [
        'the same reference of another company',
        'new',
        { first: { body: EMP_5, keyPrint: 'other-1' }, then: { ...OTHER_KEY, body: EMP_5 } },
      ],
      [
        'another reference',
        'new',
        {
          first: { body: EMP_5 },
          then: { ...OTHER_KEY, body: body({ amount: '10.00', reference: 'Emp 6' }) },
        },
      ],
      [
        'the same reference the other way',
        'new',
        {
          first: { body: EMP_5 },
          then: { ...OTHER_KEY, body: EMP_5, endpoint: 'payins.create', path: '/v2/payins' },
        },
      ],
      [
        'the same in the other environment',
        'new',
        { first: { body: EMP_5 }, then: { ...OTHER_KEY, body: EMP_5, environment: 'live' } },
      ],
      [
        'other bytes with the same key',
        'open',
        { first: { body: EMP_5 }, then: { body: body({ amount: '7', reference: 'Emp 5' }) } },
      ],
    ])('%s', async (_name, kind, world) => {
      expect(await kindAfter(world)).toBe(kind);
    });

    const nameless = (changes: object): Buffer =>
      body({ ...(JSON.parse(NAMELESS.toString()) as object), ...changes });
    it.each<readonly [name: string, kind: string, then: Partial<Leaving>]>([
      ['the same again', 'open', { body: NAMELESS }],
      [
        'it with other words',
        'open',
        { body: nameless({ concept: 'lease', amount: '10.0', currency: 'ves' }) },
      ],
      [
        'it for somebody of another name',
        'open',
        { body: nameless({ beneficiary: { account_number: '0105-1' } }) },
      ],
      ['another amount', 'new', { body: nameless({ amount: '10.01' }) }],
      ['another account', 'new', { body: nameless({ beneficiary: { account_number: '0105-2' } }) }],
      ['other metadata', 'new', { body: nameless({ metadata: { shop: 2 } }) }],
      ['no metadata', 'new', { body: nameless({ metadata: null }) }],
      ['a reference', 'new', { body: nameless({ reference: 'Emp 5' }) }],
      ['a key of its own', 'new', { body: NAMELESS, isOwnKey: true }],
    ])('without a reference: %s', async (_name, kind, then) => {
      const first = { body: NAMELESS, ...GENERATED };
      const world = { first, then: { ...GENERATED, ...OTHER_KEY, ...then } };
      expect(await kindAfter(world)).toBe(kind);
      // For as long as it is open.
      expect(await kindAfter({ ...world, laterMs: 100 * DAY_MS })).toBe(kind);
    });

    it('without a reference: other words with the key that left are no other payment', async () => {
      const then = { body: nameless({ concept: 'lease' }) };
      expect(await kindAfter({ first: { body: NAMELESS }, then })).toBe('open');
    });

    it('passes over it where that is asked elsewhere, and never over its own key', async () => {
      expect(await kindAfter({ first: { body: EMP_5 }, then: { ...OTHER_KEY, body: EMP_5 } }, true)).toBe(
        'new',
      );
      expect(await kindAfter({ first: {}, then: {}, laterMs: DAY_MS }, true)).toBe('too_old');
    });

    it('names the last that stands in the way, and writes nothing', async () => {
      const journal = await open();
      await sent(journal, { body: EMP_5, idempotencyKey: 'key-00000003' });
      const { request } = await sent(journal, { body: EMP_5 }, NOW_MS, true);
      const outcome = await tried(journal, { ...OTHER_KEY, body: EMP_5 });
      expect(outcome).toMatchObject({ kind: 'open', request: { row: request.row, state: 'open' } });
      expect(await journal.open()).toHaveLength(2);
      expect(await journal.withKey(OTHER_KEY.idempotencyKey)).toEqual([]);
      await journal.close();
    });

    it('goes on to refuse when it was forgotten, and is sent again by its own key alone', async () => {
      const journal = await open();
      await sent(journal, { body: EMP_5 });
      await journal.forget();
      await journal.sweep(NOW_MS + 1000 * DAY_MS);
      expect(await tried(journal, { ...OTHER_KEY, body: EMP_5 })).toMatchObject({
        ...{ kind: 'open', request: { state: 'forgotten' } },
      });
      const again = await sent(journal, { body: EMP_5 });
      expect(again).toMatchObject({ isNew: false, request: { state: 'open', firstLeftMs: NOW_MS } });
      expect(Buffer.from((await journal.open())[0]!.body)).toEqual(EMP_5);
      await journal.close();
    });

    it('is never sent again where another payment was sent in its place', async () => {
      const journal = await open();
      const { request: over } = await sent(journal, { body: EMP_5 });
      const { request } = await recorded(journal, { ...OTHER_KEY, body: EMP_5 }, NOW_MS, true);
      expect(await cleared(journal, request, { over })).toMatchObject({ state: 'open' });
      expect(await tried(journal, { body: EMP_5 }, NOW_MS, true)).toMatchObject({ kind: 'replaced' });
      expect(await cleared(journal, over)).toBeNull();
      expect(await journal.withKey(over.idempotencyKey)).toMatchObject([{ mayNotRepeat: true }]);
      await journal.close();
    });

    it('lets nothing be sent in its place once more of it was sent', async () => {
      const [journal, later] = [await open(), 'key-00000003'];
      const { request: over } = await sent(journal, { body: EMP_5 });
      const { request } = await recorded(journal, { ...OTHER_KEY, body: EMP_5 }, NOW_MS, true);
      expect(await cleared(journal, over)).not.toBeNull();
      expect(await cleared(journal, request, { over })).toBeNull();
      expect(await journal.withKey(over.idempotencyKey)).toMatchObject([{ mayNotRepeat: false }]);
      await journal.release(request);
      // Nor once it has become something.
      const [known] = await journal.withKey(over.idempotencyKey);
      const { request: third } = await recorded(
        journal,
        { idempotencyKey: later, body: EMP_5 },
        NOW_MS,
        true,
      );
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
          ...{ kind: 'settled', request: { settled: settled(), generation: 1, series: null } },
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
