import { expect, it } from 'vitest';
import type { PlannedCreate } from '../../../src/payments/create/planned-create.js';
import { clearForTry } from '../../../src/payments/create/send-checked.js';
import { ageOf } from '../../../src/contract/moment.js';
import type { Journal } from '../../../src/storage/journal/journal.js';
import type { UnsentRequest } from '../../../src/storage/journal/request.js';
import { leaving, moment, NOW_MS, opened, sent, settled } from '../../storage/journal/given.js';

const now = moment(NOW_MS);
const clock = {
  ...{ remember: () => undefined, boot: () => ({ bootId: now.bootId }), moment: () => now, anchor: null },
  ...{ isTimeProved: () => true, ageOf: (then: typeof now) => ageOf(then, now) },
};
const AGAIN: UnsentRequest = leaving({
  address: 'https://again.example.com/sandbox',
  keyMask: 'svc_test_...9z9z',
});

async function again(journal: Journal): Promise<UnsentRequest> {
  const run = { session: { clock }, ports: { signal: new AbortController().signal } };
  const outcome = await clearForTry({ run, journal, unsent: AGAIN } as unknown as PlannedCreate);
  if (outcome === 'next' || 'kind' in outcome) throw new Error('it may not leave');
  const [kept] = await journal.open();
  const { address, keyMask } = kept ?? outcome.request;
  expect([address, keyMask]).toEqual([outcome.request.address, outcome.request.keyMask]);
  return { ...AGAIN, address, keyMask };
}

it('stays whoever made the operation, where somebody else asks for it', async () => {
  const { journal } = opened();
  const { request } = await sent(journal);
  await journal.settle(request, settled());
  expect(await again(journal)).toMatchObject({ address: request.address, keyMask: request.keyMask });
});

it('is whoever sends it now, where nothing is known of it', async () => {
  const { journal } = opened();
  await sent(journal);
  expect(await again(journal)).toEqual(AGAIN);
});
