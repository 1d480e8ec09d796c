/** `svc transactions get`: the operation as the service says it is, whatever its state; waiting and judging only where asked. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ID, payout } from '../../support/requests.js';
import { world, type World } from '../../support/svc.js';

let home: World;
beforeEach(() => {
  home = world();
});
afterEach(() => home.remove());

it('reads an operation of either type', async () => {
  const id = String((await home.svc(payout())).json()['id']);
  expect((await home.svc(`transactions get ${id}`)).json()).toMatchObject({ id, type: 'payout' });
  expect((await home.svc(`transaction get ${id} --wait`)).json()).toMatchObject({ status: 'confirmed' });
});

it('ends with 9 for a failed one only with --exit-status, --wait or --wait-timeout', async () => {
  const id = String((await home.svc(payout('00000001'))).json()['id']);
  expect(await home.svc(`transactions get ${id}`)).toMatchObject({ exitCode: 0 });
  for (const flags of ['--exit-status', '--wait', '--wait-timeout 1s']) {
    expect(await home.svc(`transactions get ${id} ${flags}`)).toMatchObject({ exitCode: 9 });
  }
});

it('ends with 5 for nothing', async () => {
  expect(await home.svc(`transactions get ${ID}`)).toMatchObject({ exitCode: 5, stdout: '' });
});
