import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Journal } from '../../../src/storage/journal/journal.js';
import type { JournalRequest } from '../../../src/storage/journal/request.js';
import { body, sent, settled } from './given.js';
import { journalKinds, journalServer } from './journals.js';

const server = await journalServer();

type Step =
  | { readonly do: 'send'; readonly key: string; readonly amount: string }
  | { readonly do: 'settle' | 'withdraw' | 'keep'; readonly which: number };

interface Entry {
  open: number;
  known: boolean;
}

const KEYS = ['key-00000001', 'key-00000002'];
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('send' as const),
      key: fc.constantFrom(...KEYS),
      amount: fc.constantFrom('1', '2'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('settle' as const, 'withdraw' as const, 'keep' as const),
      which: fc.nat(20),
    }),
  },
);

it.each(journalKinds(server))('in $name: what has an open sending is open', async ({ open, isFar }) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const journal = await open();
      const requests: (readonly [request: JournalRequest, name: string])[] = [];
      const list = new Map<string, Entry>();
      for (const taken of steps) await apply(journal, taken, requests, list);
      const names = (await journal.open()).map((one) => nameOf(one.idempotencyKey, String(one.amount)));
      const left = [...list].filter(([, { open }]) => open > 0);
      expect(names.sort()).toEqual(left.map(([name]) => name).sort());
      for (const key of KEYS) {
        const its = [...list].filter(([name]) => name.startsWith(key));
        expect(await journal.hasLeft(key)).toBe(its.some(([, { open, known }]) => open > 0 || known));
      }
    }),
    { numRuns: isFar ? 20 : 150 },
  );
});

const nameOf = (key: string, amount: string): string => `${key} ${amount}`;

async function apply(
  journal: Journal,
  taken: Step,
  requests: (readonly [JournalRequest, string])[],
  list: Map<string, Entry>,
): Promise<void> {
  if (taken.do === 'send') {
    const { key, amount } = taken;
    const outcome = await sent(journal, { idempotencyKey: key, body: body({ amount }) });
    const name = nameOf(key, amount);
    const entry = list.get(name) ?? { open: 0, known: false };
    expect([outcome.isNew, outcome.settlement !== null]).toEqual([
      entry.open === 0 && !entry.known,
      entry.known,
    ]);
    list.set(name, { ...entry, open: entry.open + 1 });
    requests.push([outcome.request, name]);
    return;
  }
  const [request, name] = requests[taken.which % Math.max(1, requests.length)] ?? [];
  if (request === undefined || name === undefined) return;
  const isGone = (await journal.open(request.idempotencyKey)).every(({ row }) => row !== request.row);
  const entry = list.get(name)!;
  if (taken.do === 'settle') {
    await journal.settle(request, settled());
    if (!isGone) list.set(name, { open: 0, known: true });
  } else if (taken.do === 'withdraw') {
    await journal.withdraw(request);
    if (!isGone) list.set(name, { ...entry, open: Math.max(0, entry.open - 1) });
  } else {
    await journal.keepOpen(request);
  }
}
