import { expect, it } from 'vitest';
import type { Attempt } from '../../src/contract/attempt.js';
import { mayUseNextKey, isResendPointless, type KeyNote, type UsedKey } from '../../src/contract/key-use.js';
import { KEY_SAFE_MS } from '../../src/contract/limits.js';
import { NO_FACTS } from '../../src/contract/operation-facts.js';

const NOW_MS = 100 * KEY_SAFE_MS;
const NOW = Buffer.from('{"amount":"5.00"}');
const BEFORE = Buffer.from('{"amount":"5,00"}');
const note = (kind: KeyNote['kind'], body: Buffer = BEFORE, agoMs = 0): KeyNote => ({
  ...{ kind, body, notedAtMs: NOW_MS - agoMs },
});
const made = (status: string) =>
  ({ kind: 'success', operation: { ...NO_FACTS, id: 'op-1', status } }) as unknown as Attempt;
const refused = (status: number) => ({ kind: 'refused', answer: { status } }) as unknown as Attempt;

interface Case extends Partial<Pick<UsedKey, 'hasOpenAttempt' | 'isExplained' | 'notes'>> {
  readonly again?: Attempt;
  readonly remembers?: boolean;
}

const LOST = { kind: 'lost' } as Attempt;
const TRIED = { notes: [note('refused')] };
const AGAIN = { ...TRIED, again: refused(400) };
const remembers = true;

function goesOn(given: Case): Promise<boolean> {
  const { notes = [], hasOpenAttempt = false, isExplained = false, again } = given;
  const key: UsedKey = {
    ...{ notes, hasOpenAttempt, isExplained, body: NOW, nowMs: NOW_MS },
    resend: () =>
      again === undefined ? Promise.reject(new Error('nothing to send')) : Promise.resolve(again),
    remembersRefusals: () => Promise.resolve(given.remembers ?? false),
  };
  return mayUseNextKey(key);
}

it.each<[string, Case, boolean]>([
  ['nothing is known', {}, false],
  ['the events have failed tries', { isExplained: true }, true],
  ['the events have failed tries before an open attempt', { isExplained: true, hasOpenAttempt: true }, true],
  ['a person said so', { notes: [note('not_paid')] }, true],
  ['a person said so; an attempt has no answer', { notes: [note('not_paid')], hasOpenAttempt: true }, true],
  ['a person said so 23 hours ago', { notes: [note('not_paid', BEFORE, KEY_SAFE_MS)] }, false],
  ['the answer to the bytes before is lost', { ...TRIED, again: LOST, remembers }, false],
])('%s', async (_name, given, is) => expect(await goesOn(given)).toBe(is));

it.each<[string, Case, boolean]>([
  ['are refused again, and the service remembers refusals', { ...AGAIN, remembers }, true],
  ['are refused again, and nobody knows why the key is used', AGAIN, false],
  [
    'are refused again, and the service remembers refusals, beside an attempt without an answer',
    { ...AGAIN, remembers, hasOpenAttempt: true },
    false,
  ],
  ['are other data too', { ...TRIED, again: refused(409), remembers }, false],
  ['made an operation that failed', { ...TRIED, again: made('failed'), hasOpenAttempt: true }, true],
  ['made an operation that is pending', { ...TRIED, again: made('pending'), remembers }, false],
  ['are these bytes', { notes: [note('refused', NOW)], again: refused(400), remembers }, false],
])('the bytes before %s', async (_name, given, is) => expect(await goesOn(given)).toBe(is));

it.each<[string, readonly KeyNote[], boolean, boolean]>([
  ['a key of which nothing is known', [], false, false],
  ['a used one', [note('used')], false, true],
  ['a used one, whose tries failed since', [note('used')], true, false],
  ['a used one, with bytes that may explain it', [note('used'), note('refused')], false, false],
  ['a used one, with a word', [note('used'), note('not_paid')], false, false],
  ['a used one, with an old word', [note('used'), note('not_paid', BEFORE, KEY_SAFE_MS)], false, true],
])('%s is kept back or not', (_name, notes, isExplained, is) => {
  expect(isResendPointless({ notes, isExplained, nowMs: NOW_MS })).toBe(is);
});
