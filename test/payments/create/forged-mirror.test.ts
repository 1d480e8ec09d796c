import { beforeEach, describe, expect, it } from 'vitest';
import { deriveKey } from '../../../src/payments/known/key.js';
import type { KnownOperation } from '../../../src/contract/operation-facts.js';

import { FORGED_ID, forge, forgedOf } from '../../support/forged-mirror.js';
import { people, person } from '../../support/payroll.js';
import { payout } from '../../support/requests.js';
import { sharedDatabase } from '../../support/shared-state.js';
import { sharingMachines } from '../../support/sharing.js';

const { shared, here, env, sql } = sharingMachines(people(2), await sharedDatabase());
const { svc } = here;
const FIRST = person(0, { amount: '5.00' });
const REF = 'emp-0000';
const OWN = { environment: 'sandbox', direction: 'payout', reference: REF } as const;
const KEY = deriveKey({ ...OWN, follows: null, generation: 1 });

describe.skipIf(shared === null)('a single create with a reference', () => {
  const create = () => svc([...payout(), '--reference', REF, '--as-live'], { env });
  const write = (changes: Partial<KnownOperation>) => forge(sql, forgedOf(FIRST, changes));
  beforeEach(async () => {
    await here.pay([person(9)], 'first', '', { env });
    here.shaky.posts.length = 0;
  });

  it.each(['confirmed', 'failed', 'pending'])('is sent with its key beside a %s one', async (status) => {
    await write({ status });
    const made = await create();
    expect(made.exitCode, made.stderr).toBe(0);
    const said = `has an event of operation ${FORGED_ID}, reference ${REF}`;
    expect(made.stderr).toContain(`${said}, but the service has no operation with that id`);
    expect(here.shaky.posts.map(({ headers }) => headers['idempotency-key'])).toEqual([KEY]);
    expect((await here.shaky.ledger())[REF]).toBe(1);
  });

  it('is refused where the service has the payment that somebody called failed', async () => {
    const there = await svc([...payout(), '--reference', 'emp-0000'], { env: here.machine('alone') });
    await svc('events sync', { env });
    await write({ id: (there.json() as { id: string }).id, status: 'failed' });
    here.shaky.posts.length = 0;
    const refused = await create();
    expect(refused.error()).toMatchObject({ exit_code: 13, code: 'reference_paid', outcome: 'not_sent' });
    expect(here.shaky.posts).toEqual([]);
  });
});
