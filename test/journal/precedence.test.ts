/** What in the book stands in the way of a create, and what goes on as one more sending. */
import { describe, expect, it } from 'vitest';
import type { Leaving } from '../../src/journal/request.js';
import { at, body, HOUR_MS, leaving, NOW_MS, recorded } from './given.js';
import { journalKinds, journalServer } from './journals.js';

const EMP_5 = body({ amount: '10.00', reference: 'Emp 5' });
const OTHER_KEY = { idempotencyKey: 'key-00000002' };
const DAY_MS = 24 * HOUR_MS;

interface Case {
  /** What is in the book already. */
  readonly first: Partial<Leaving>;
  readonly then: Partial<Leaving>;
  readonly laterMs?: number;
}

const server = await journalServer();

describe.each(journalKinds(server))('in $name', ({ open }) => {
  /** How the second create is looked at, with the first one open. */
  const kindAfter = async ({ first, then, laterMs = 0 }: Case, isNewPayment = false): Promise<string> => {
    const journal = await open();
    await recorded(journal, first);
    const outcome = await journal.record(leaving(then), at(NOW_MS + laterMs, isNewPayment));
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
      ['the same body with another key', 'open', { first: {}, then: OTHER_KEY }],
      ['it a day later: without a reference another', 'new', { first: {}, then: OTHER_KEY, laterMs: DAY_MS }],
      [
        'the same reference, whatever else it says',
        'open',
        { first: { body: EMP_5 }, then: { ...OTHER_KEY, body: body({ amount: '7', reference: 'EMP  5' }) } },
      ],
      [
        'the same reference weeks later',
        'open',
        { first: { body: EMP_5 }, then: { ...OTHER_KEY, body: EMP_5 }, laterMs: 20 * DAY_MS },
      ],
      [
        'the same reference for another company of this machine',
        'open',
        { first: { body: EMP_5 }, then: { ...OTHER_KEY, body: EMP_5, keyPrint: 'print-2' } },
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
        'other bytes with the same key: the service carries out one of them',
        'new',
        { first: { body: EMP_5 }, then: { body: body({ amount: '7', reference: 'Emp 5' }) } },
      ],
      [
        'other bytes with the same key when the service may have forgotten it',
        'open',
        {
          first: { body: EMP_5 },
          then: { body: body({ amount: '7', reference: 'Emp 5' }) },
          laterMs: 23 * HOUR_MS + 1,
        },
      ],
    ])('%s', async (_name, kind, world) => {
      expect(await kindAfter(world)).toBe(kind);
    });

    it('--new-payment insists on another key, and never on this one', async () => {
      expect(await kindAfter({ first: { body: EMP_5 }, then: { ...OTHER_KEY, body: EMP_5 } }, true)).toBe(
        'new',
      );
      expect(await kindAfter({ first: {}, then: {}, laterMs: DAY_MS }, true)).toBe('too_old');
    });

    it('names what stands in the way, and writes nothing', async () => {
      const journal = await open();
      const { request } = await recorded(journal, { body: EMP_5 });
      const outcome = await journal.record(leaving({ ...OTHER_KEY, body: EMP_5 }), at(NOW_MS));
      expect(outcome).toMatchObject({ kind: 'open', request: { row: request.row, state: 'open' } });
      expect(await journal.open()).toHaveLength(1);
      await journal.close();
    });

    it('its marks go on refusing when it was forgotten, until they are cleared', async () => {
      const journal = await open();
      await recorded(journal, { body: EMP_5 });
      await journal.forget();
      const again = leaving({ ...OTHER_KEY, body: EMP_5 });
      expect(await journal.record(again, at(NOW_MS))).toMatchObject({
        kind: 'open',
        request: { state: 'forgotten' },
      });
      await journal.clear(NOW_MS + 35 * DAY_MS);
      expect(await journal.record(again, at(NOW_MS))).toMatchObject({ kind: 'open' });
      await journal.clear(NOW_MS + 35 * DAY_MS + 1);
      expect(await journal.record(again, at(NOW_MS))).toMatchObject({ isNew: true });
      await journal.close();
    });
  });

  describe('with a settled request in the book', () => {
    const settled = { operation: 'operation-1', status: 'confirmed' };

    it('its key and bytes are known for 23 hours, and refused after that', async () => {
      const journal = await open();
      await journal.settle((await recorded(journal)).request, settled);
      const again = await journal.record(leaving(), at(NOW_MS + 23 * HOUR_MS));
      expect(again).toMatchObject({ known: settled, isNew: false });
      if ('request' in again) await journal.settle(again.request, settled);
      expect(await journal.record(leaving(), at(NOW_MS + 23 * HOUR_MS + 1))).toMatchObject({
        kind: 'key_used',
        request: { settled },
      });
      await journal.close();
    });

    it('an equal create with another key is another payment', async () => {
      const journal = await open();
      await journal.settle((await recorded(journal, { body: EMP_5 })).request, settled);
      expect(await journal.record(leaving({ ...OTHER_KEY, body: EMP_5 }), at(NOW_MS))).toMatchObject({
        isNew: true,
        known: null,
      });
      await journal.close();
    });
  });
});
