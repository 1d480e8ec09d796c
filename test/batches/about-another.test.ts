import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ANOTHER, mixedUp } from '../support/altered.js';
import { batchHome } from '../support/batch-home.js';
import { PENDING, csv, people } from '../support/payroll.js';
import { NOT_ARRIVED } from '../support/shaky-sandbox.js';

const here = batchHome();
const { svc, begin } = here;
const READ = /GET .*\/v2\/(payouts|transactions)\//;

const options = (status = 'confirmed') => ({
  transport: mixedUp(here.shaky.transport, READ, (operation) => ({ ...operation, id: ANOTHER, status })),
});

it.each(['confirmed', 'failed'])(
  'a row that is followed keeps id and state where another is %s, exported too',
  async (status) => {
    writeFileSync(here.file, csv(people(2, () => PENDING)));
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

type Change = Parameters<typeof mixedUp>[2];
const nameless: Change = ({ reference: _reference, ...rest }) => rest;
const asIs: Change = (operation) => operation;
const constant = (change: Change): Change => {
  let first: unknown;
  return (operation) => change({ ...operation, id: (first ??= operation['id']) });
};

it.each<[string, Change, Change, object]>([
  ['says no reference, and is read with the right one', nameless, asIs, { confirmed: 3 }],
  ['says no reference anywhere', nameless, nameless, { unknown: 3 }],
  ['says no reference, and is that of another row', constant(nameless), asIs, { confirmed: 1, unknown: 2 }],
  ['says the reference, and is that of another row', constant(asIs), asIs, { confirmed: 1, unknown: 2 }],
])('the answer to a row %s', async (_name, change, read, counts) => {
  writeFileSync(here.file, csv(people(3)));
  const answered = mixedUp(here.shaky.transport, /POST .*payouts$/, change);
  const transport = mixedUp(answered, /GET .*transactions/, read);
  const line = `payouts batch ${here.file} --concurrency 1 --json`;
  expect((await svc(line, { transport })).json()).toMatchObject({ confirmed: 0, unknown: 0, ...counts });
  expect((await svc('batches resume pay --json')).json()).toMatchObject({ confirmed: 3 });
  expect(await here.shaky.ledger()).toEqual({ 'emp-0000': 1, 'emp-0001': 1, 'emp-0002': 1 });
  expect(new Set(Object.values(await here.rows()).map(({ operation_id: id }) => id)).size).toBe(3);
});

describe('a proof', () => {
  it('neither lets a batch go on with another key nor says that it is another company: 1, and nothing is sent', async () => {
    await begin(...NOT_ARRIVED);
    const posts = here.shaky.posts.length;
    for (const company of ['default', 'somebody-else']) {
      const env = await here.otherKey(company);
      for (const line of ['batches resume pay --json', 'batches retry pay --failed --json']) {
        const result = await svc(line, { ...options(), env });
        const exitCode = company === 'default' ? 1 : 13;
        expect(result.error(), result.stderr).toMatchObject({ exit_code: exitCode });
        if (company === 'default') expect(result.error()['message']).toContain(ANOTHER);
      }
    }
    expect(here.shaky.posts).toHaveLength(posts);
    const resumed = await svc('batches resume pay --json', { env: await here.otherKey() });
    expect(resumed.json()).toMatchObject({ confirmed: 4 });
  });

  it('is no operation that a person names either', async () => {
    writeFileSync(here.file, csv(people(2)));
    await begin(...NOT_ARRIVED);
    const [row] = Object.values(await here.rows()).filter(({ state }) => state === 'confirmed');
    const id = String(row?.['operation_id']);
    const before = await here.rows();
    const line = `batches resolve pay --reference emp-0000 --operation ${id} --json`;
    const result = await svc(line, options());
    expect(result.failure()).toBe('1 contract_broken');
    expect(result.error()['message']).toContain(ANOTHER);
    expect(await here.rows()).toEqual(before);
  });
});
