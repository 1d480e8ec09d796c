import { describe, expect, it } from 'vitest';
import { people } from '../support/payroll.js';
import { sharedDatabase } from '../support/shared-state.js';
import { sharingMachines } from '../support/sharing.js';
import { NOT_ARRIVED, type Fate } from '../support/shaky-sandbox.js';

const { shared, here, env, other, once } = sharingMachines(people(4), await sharedDatabase());
const { svc, pay } = here;

describe.skipIf(shared === null)('a company, to machines that share a state', () => {
  const begin = async (...fates: readonly Fate[]): Promise<void> => {
    here.shaky.next(...fates);
    expect((await pay(people(4), 'march', '', { env })).exitCode).not.toBe(0);
  };

  it('goes on elsewhere with another key of it, which its newest operation proves', async () => {
    await begin(...NOT_ARRIVED);
    const again = { ...other, ...(await here.otherKey()) };
    expect((await svc('batches resume march --json', { env: again })).json()).toMatchObject({ confirmed: 4 });
    await once();
    const third = { ...here.machine('third'), ...env, ...(await here.otherKey()) };
    expect((await svc('events sync --json', { env: third })).json()).toMatchObject({ operations: 4 });
  });

  it('is not another one: 13, and nothing is sent', async () => {
    await begin(...NOT_ARRIVED);
    const posts = here.shaky.posts.length;
    const theirs = { ...other, ...(await here.otherKey('somebody-else')) };
    const refused = await svc('batches resume march --json', { env: theirs });
    expect(refused.error()).toMatchObject({ exit_code: 13, code: 'other_company', outcome: 'not_sent' });
    expect(here.shaky.posts).toHaveLength(posts);
  });

  it('has one mirror: what one machine has read the others do not read again', async () => {
    await pay(people(4), 'march', '', { env });
    expect((await svc('events sync --json', { env })).json()).toMatchObject({ events: 4, operations: 4 });
    expect((await svc('events sync --json', { env: other })).json()).toMatchObject({ operations: 4 });
    expect((await pay(people(4), 'april', '', { env: other })).failure()).toBe('13 references_paid');
    const alone = await svc('events sync --json', { env: here.machine('other') });
    expect(alone.json()).toMatchObject({ events: 4 });
  });

  it('goes with the sandbox that is emptied, whoever read it', async () => {
    await pay(people(4), 'march', '', { env });
    await svc('events sync', { env });
    expect((await svc('sandbox reset', { env: other })).stderr).toContain('4 operations from events');
  });
});
