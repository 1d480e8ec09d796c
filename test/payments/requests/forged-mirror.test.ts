import { expect, it } from 'vitest';
import { KEY, LOST } from '../../support/open-request.js';
import { forge, forgedOf } from '../../support/forged-mirror.js';
import { people, person } from '../../support/payroll.js';
import { payout } from '../../support/requests.js';
import { keyOf } from '../../support/shaky-sandbox.js';
import { sharedDatabase } from '../../support/shared-state.js';
import { sharingMachines } from '../../support/sharing.js';

const { shared, here, env, sql } = sharingMachines(people(1), await sharedDatabase());
const { svc } = here;

const pay = (key: string, more: Readonly<Record<string, string>>) =>
  svc([...payout(), '--reference', key, '--idempotency-key', key], { env: more });

it.skipIf(shared === null)(
  'a request is not repeated with the key of a company whose operation somebody wrote into the mirror',
  async () => {
    await svc('events sync', { env });
    here.shaky.next(...LOST);
    expect((await pay(KEY, env)).exitCode).toBe(12);
    const SVC_API_KEY = await keyOf(here.shaky, 'another', 'sandbox');
    const theirs = await pay('invoice-1', { ...here.machine('theirs'), SVC_API_KEY });
    const { id } = theirs.json() as { id: string };
    await forge(sql, forgedOf(person(0), { id }));
    await sql(`UPDATE svc.companies SET newest_id = '${id}', newest_at = 1`);
    const postCount = here.shaky.posts.length;
    const repeated = await svc(`requests repeat ${KEY}`, { env: { ...env, SVC_API_KEY } });
    expect(repeated.error()).toMatchObject({ exit_code: 13, code: 'company_unknown', outcome: 'unknown' });
    expect(here.shaky.posts).toHaveLength(postCount);
    expect((await svc(`requests repeat ${KEY}`, { env })).exitCode).toBe(0);
  },
);
