import { describe, expect, it } from 'vitest';
import { people } from '../support/payroll.js';
import { startPostgres } from '../support/postgres.js';
import { sharedIn } from '../support/shared-state.js';
import { sharingMachines } from '../support/sharing.js';

const database = sharedIn(await startPostgres());
const as = { environment: 'live', key: 9 } as const;
const { shared, here, env, other, once } = sharingMachines(people(4), database, as);
const { svc, pay } = here;
const FIRST = '--confirm-total VES:408.00 --first-here';

describe.skipIf(shared === null)('a live batch that machines share', () => {
  it('says what nobody who shares the state has ever paid, and sends nothing before that is confirmed', async () => {
    const refused = await pay(people(4), 'march', '--confirm-total VES:408.00', { env });
    expect(refused.error()).toMatchObject({ exit_code: 13, code: 'first_here', outcome: 'not_sent' });
    for (const text of [
      'Reserved     VES 0.00 (0 from this state)',
      'First here   This state has paid no batch for this company yet. Stop if any of this was sent from elsewhere in the last 4 days.',
      'The state that machines share here',
    ])
      expect(refused.stderr).toContain(text);
    expect(refused.stderr).not.toContain('this machine');
    expect(here.shaky.posts).toEqual([]);
  });

  it('is confirmed by its total before anything leaves, wherever it is taken up', async () => {
    const planned = await pay(people(4), 'march', '--first-here', { env });
    expect(planned.error()).toMatchObject({ exit_code: 13, code: 'not_confirmed', outcome: 'not_sent' });
    const wrong = await svc('batches resume march --confirm-total VES:1.00', { env: other });
    expect(wrong.failure()).toBe('13 total_differs');
    expect(here.shaky.posts).toEqual([]);
    expect((await pay(people(4), 'march', FIRST, { env: other })).json()).toMatchObject({ confirmed: 4 });
    await once();
  });

  it('is not touched with the sandbox: nothing is sent', async () => {
    expect((await svc('state init', { env })).json()).toMatchObject({ environment: 'live' });
    await pay(people(4), 'march', '', { env });
    const { transport, env: own } = here.shaky;
    const sandbox = await here.home.svc('batches resume march', { transport, env: { ...env, ...own } });
    expect(sandbox.failure()).toBe('13 state_of_other_environment');
    expect(here.shaky.posts).toEqual([]);
  });
});
