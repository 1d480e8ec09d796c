/** Reads about another operation than was asked for: a row stays as it was, and nothing is proved by one. */
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ANOTHER, mixedUp } from '../../support/altered.js';
import { batchHome } from '../../support/batch-home.js';
import { csv, people, person } from '../../support/payroll.js';
import type { Fate } from '../../support/shaky-sandbox.js';

const here = batchHome();
const { svc, begin } = here;
const LOST: readonly Fate[] = ['lost-before', 'lost-before', 'lost-before'];
const READ = /GET .*\/v2\/(payouts|transactions)\//;

/** The line with every read about another, in that state. */
const mixed = (status: 'confirmed' | 'failed') =>
  mixedUp(here.shaky.transport, READ, (operation) => ({ ...operation, id: ANOTHER, status }));
const options = (status: 'confirmed' | 'failed' = 'confirmed') => ({ transport: mixed(status) });

describe('a row that is followed', () => {
  const pending = () =>
    writeFileSync(
      here.file,
      csv([0, 1].map((at) => person(at, { 'beneficiary.document.number': '00000002' }))),
    );

  it.each(['confirmed', 'failed'] as const)(
    'keeps its id and its state where another is %s, and its export shows no other id',
    async (status) => {
      pending();
      await begin();
      const before = await here.rows();
      const resumed = await svc('batches resume pay --wait-timeout 5s --json', options(status));
      expect(resumed.exitCode, resumed.stderr).toBe(8);
      expect(resumed.json()).toMatchObject({ pending: 2, confirmed: 0, failed: 0 });
      expect(await here.rows()).toEqual(before);
      expect((await svc('batches export pay --json')).stdout).not.toContain(ANOTHER);
      const followed = await svc('batches resume pay --wait --json');
      expect(followed.json()).toMatchObject({ confirmed: 2, pending: 0 });
      const ids = (rows: typeof before) => Object.values(rows).map(({ operation_id: id }) => id);
      expect(ids(await here.rows())).toEqual(ids(before));
    },
  );

  it('keeps its id as it was written where the answer writes it in capital letters', async () => {
    pending();
    await begin();
    const before = await here.rows();
    const transport = mixedUp(here.shaky.transport, READ, (operation) => ({
      ...operation,
      id: String(operation['id']).toUpperCase(),
    }));
    expect((await svc('batches resume pay --wait --json', { transport })).json()).toMatchObject({
      confirmed: 2,
    });
    for (const [reference, { operation_id: id }] of Object.entries(before))
      expect((await here.rows())[reference]).toMatchObject({ operation_id: id, state: 'confirmed' });
  });

  it('of the other direction is not followed', async () => {
    pending();
    const transport = mixedUp(here.shaky.transport, READ, (operation) => ({ ...operation, type: 'payin' }));
    const line = `payouts batch ${here.file} --wait-timeout 5s --json`;
    expect((await svc(line, { transport })).json()).toMatchObject({ pending: 2, confirmed: 0 });
  });
});

describe('a proof', () => {
  it('neither lets a batch go on with another key nor says that it is another company: 1, and nothing is sent', async () => {
    await begin(...LOST);
    const posts = here.shaky.posts.length;
    for (const company of ['default', 'somebody-else']) {
      const env = await here.otherKey(company);
      for (const line of ['batches resume pay --json', 'batches retry pay --failed --json']) {
        const result = await svc(line, { ...options(), env });
        // Another company's key sees none of them: then it is the service's own 404.
        const exitCode = company === 'default' ? 1 : 13;
        expect(result.error(), result.stderr).toMatchObject({ exit_code: exitCode });
        if (company === 'default') expect(result.error()['message']).toContain(ANOTHER);
      }
    }
    expect(here.shaky.posts).toHaveLength(posts);
    // Nothing was learned of it: asked again, it is proved.
    const resumed = await svc('batches resume pay --json', { env: await here.otherKey() });
    expect(resumed.json()).toMatchObject({ confirmed: 4 });
  });

  it('is no operation that a person names either', async () => {
    writeFileSync(here.file, csv(people(2)));
    await begin(...LOST);
    const [row] = Object.values(await here.rows()).filter(({ state }) => state === 'confirmed');
    const id = String(row?.['operation_id']);
    const before = await here.rows();
    const line = `batches resolve pay --reference emp-0000 --operation ${id} --json`;
    const result = await svc(line, options());
    expect(result.error()).toMatchObject({ exit_code: 1, code: 'contract_broken' });
    expect(result.error()['message']).toContain(ANOTHER);
    expect(await here.rows()).toEqual(before);
  });
});
