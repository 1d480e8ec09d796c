import { beforeEach, describe, expect, it } from 'vitest';
import { people } from '../support/payroll.js';
import { payout } from '../support/requests.js';
import { startPostgres } from '../support/postgres.js';
import { sharedIn } from '../support/shared-state.js';
import { sharingMachines } from '../support/sharing.js';
import { systemClock } from '../../src/runtime/clock.js';
import type { Transport } from '../../src/runtime/transport.js';

const { shared, here, env, other, sql } = sharingMachines(people(12), sharedIn(await startPostgres()));
const { svc, pay } = here;
const HOUR_MS = 3_600_000;
const FORGOTTEN_HOURS = 31 * 24;

describe.skipIf(shared === null)('a batch whose database server was taken over', () => {
  const counts = async (): Promise<number[]> => Object.values(await here.shaky.ledger());
  const ONCE = people(12).map(() => 1);
  const STOPPED = { exit_code: 16, code: 'commits_lost', outcome: 'unknown' };
  const COMMITS_LOST = { ...STOPPED, next_command: 'svc batches resume march' };
  let isFarOn = false;
  beforeEach(() => void (isFarOn = false));
  const forgetEight = async (how: 'promoted' | 'as_it_was', hours = 0): Promise<void> => {
    await pay(people(12), 'march', '', { env, signal: here.shaky.stopAt(4) });
    await shared!.server.keepCopy();
    expect((await svc('batches resume march --json', { env })).json()).toMatchObject({ confirmed: 12 });
    expect(await counts()).toEqual(ONCE);
    await shared!.server.putBack(how);
    here.home.clock.advance(hours * HOUR_MS);
    isFarOn = hours > 24;
    const standing = await svc('batches status march --json', { env: other });
    expect(standing.json()).toMatchObject({ confirmed: 4, not_sent: 8 });
    expect(standing.stderr.includes('may stand here as not sent')).toBe(how === 'promoted');
  };
  const undated: Transport = async (request, options) => {
    const answer = await here.shaky.transport(request, options);
    return { ...answer, headers: answer.headers.filter(([name]) => name.toLowerCase() !== 'date') };
  };
  const elsewhere = (line: string | readonly string[]) =>
    svc(line, { env: other, ...(isFarOn && { transport: undated }) });
  const resume = (words = '') => elsewhere(`batches resume march --json ${words}`);

  it.each(['', '--skip-feed-check'])('knows what was sent, and pays nothing twice %s', async (words) => {
    await forgetEight('promoted');
    const posts = here.shaky.posts.length;
    const resumed = await resume(words);
    expect(resumed.json(), resumed.stderr).toMatchObject({ confirmed: 12 });
    const said = 'Another database server took over: 8 rows count as sent, 0 wait for a person.';
    expect(resumed.stderr).toContain(said);
    expect(here.shaky.posts).toHaveLength(posts);
    expect(await counts()).toEqual(ONCE);
    for (const line of ['resume', 'status'])
      expect((await elsewhere(`batches ${line} march`)).stderr).not.toContain('taken over');
  });

  it.each(['', '--skip-feed-check'])('waits for a person where it is forgotten %s', async (words) => {
    await forgetEight('promoted', FORGOTTEN_HOURS);
    const posts = here.shaky.posts.length;
    const resumed = await resume(words);
    expect(resumed.failure()).toBe('12 needs_review');
    expect(resumed.stderr).toContain('0 rows count as sent, 8 wait for a person.');
    expect(here.shaky.posts).toHaveLength(posts);
    const rows = await here.rows('march', { ...here.shaky.env, ...other });
    const [row] = Object.values(rows).filter(({ state }) => state === 'needs_review');
    expect(row).toMatchObject({ code: 'taken_over' });
    const { reference, operation_id: operation } = row!;
    const decision = ['--reference', reference!, '--operation', operation!, '--json'];
    const resolved = await elsewhere(['batches', 'resolve', 'march', ...decision]);
    expect(resolved.json(), resolved.stderr).toMatchObject({ confirmed: 5, unknown: 7 });
    expect(await counts()).toEqual(ONCE);
  });

  it('was moved by a dump: another server, of which nothing is known', async () => {
    await forgetEight('as_it_was', FORGOTTEN_HOURS);
    await sql("UPDATE svc.batches SET cluster = 'another'");
    expect((await resume('--skip-feed-check')).failure()).toBe('12 needs_review');
    expect(await counts()).toEqual(ONCE);
  });

  it('is looked at by retry and resolve as well', async () => {
    await forgetEight('promoted', FORGOTTEN_HOURS);
    await sql("UPDATE svc.rows SET state = 'rejected' WHERE number = 11");
    await sql("UPDATE svc.rows SET state = 'needs_review', sent_at = 1 WHERE number = 10");
    const word = 'batches resolve march --reference emp-0010 --not-paid --skip-feed-check --json';
    expect((await elsewhere(word)).stderr).toContain('0 rows count as sent, 7 wait for a person.');
    const retried = await elsewhere('batches retry march --failed --skip-feed-check --json');
    expect(retried.exitCode, retried.stderr).toBe(2);
    expect(await counts()).toEqual(ONCE);
  });

  it('under way is stopped at once, and goes on where the service has its rows', async () => {
    here.shaky.onPost = async () => {
      if (here.shaky.posts.length === 3) await shared!.server.keepCopy();
      if (here.shaky.posts.length === 9) await shared!.server.putBack('promoted');
    };
    const stopped = await pay(people(12), 'march', '', { env, clock: systemClock });
    expect(stopped.error(), stopped.stderr).toMatchObject(COMMITS_LOST);
    const resumed = await resume();
    expect(resumed.json(), resumed.stderr).toMatchObject({ confirmed: 12 });
    expect(resumed.stderr).toMatch(/[2-9] rows count as sent, 0 wait for a person/);
    expect(await counts()).toEqual(ONCE);
  });

  it('stops one that lost nothing of its own, asleep while others paid what is forgotten', async () => {
    const stopping = new AbortController();
    let [awayMs, known] = [0, 0];
    const sleeping = { ...systemClock, now: () => systemClock.now() + awayMs };
    here.shaky.onPost = async () => {
      const sent = here.shaky.posts.length;
      if (sent === 7) stopping.abort(new Error('the pod is gone'));
      if (sent !== 3) return;
      await new Promise((done) => setTimeout(done, 300));
      await shared!.server.keepCopy();
      await svc('batches resume march', { env: other, transport: undated, signal: stopping.signal });
      await shared!.server.putBack('promoted');
      awayMs = FORGOTTEN_HOURS * HOUR_MS;
      here.home.clock.advance(awayMs);
      isFarOn = true;
      known = here.shaky.posts.length;
    };
    const stopped = await pay(people(12), 'march', '', { env, clock: sleeping, transport: undated });
    expect(known).toBeGreaterThan(6);
    expect(here.shaky.posts).toHaveLength(known);
    expect(stopped.error()).toMatchObject(COMMITS_LOST);
    expect((await resume()).failure()).toBe('12 needs_review');
    const paid = await counts();
    expect(paid).toEqual(paid.map(() => 1));
  });

  it('refuses a single create of a reference that may have left, until it was looked at and after that', async () => {
    await forgetEight('promoted');
    const posts = here.shaky.posts.length;
    const single = () => elsewhere([...payout(), '--reference', 'emp-0007']);
    const open = await single();
    expect(open.failure()).toBe('13 reference_open');
    expect(open.error()['next_command']).toBe('svc batches resume march');
    await resume();
    const paid = (await single()).error();
    expect(paid).toMatchObject({ exit_code: 13, code: 'reference_paid', outcome: 'not_sent' });
    expect(paid['details']).toMatchObject([{ sent_by: 'batch', batch: 'march' }]);
    expect(here.shaky.posts).toHaveLength(posts);
  });
});
