import { beforeEach, describe, expect, it } from 'vitest';
import { FORGED_ID, forge, forgedOf } from '../support/forged-mirror.js';
import { FAILING, PENDING, feesCsv, fileIn, person, people, type Cells } from '../support/payroll.js';
import { sharedDatabase } from '../support/shared-state.js';
import { sharingMachines } from '../support/sharing.js';
import type { KnownOperation } from '../../src/contract/operation-facts.js';
import type { Transport } from '../../src/runtime/transport.js';

const { shared, here, env, sql } = sharingMachines(people(2), await sharedDatabase());
const { svc } = here;
const [FIRST, SECOND, OTHER] = [person(0), person(1), person(9)];
const NAMED = `has an event of operation ${FORGED_ID}, reference emp-0000, but `;
const PAID_ONCE = { 'emp-0000': 1, 'emp-0001': 1, 'emp-0009': 1 };

const reads: string[] = [];
const counting: Transport = async (request, options) => {
  const answer = await here.shaky.transport(request, options);
  const id = /\/v2\/transactions\/([^/?]+)$/.exec(request.url)?.[1];
  if (id !== undefined && (answer.status === 200 || id === FORGED_ID)) reads.push(id);
  return answer;
};
beforeEach(() => void reads.splice(0));

describe.skipIf(shared === null)('a row of the shared mirror that somebody wrote', () => {
  const pay = (rows: readonly Cells[], batch: string, words = '') =>
    here.pay(rows, batch, words, { env, transport: counting });
  const both = (words = '') => pay([FIRST, SECOND], 'march', words);
  const elsewhere = (rows: readonly Cells[]) => here.pay(rows, 'there', '', { env: here.machine('alone') });
  const resume = () => svc('batches resume march --json', { env, transport: counting });
  const write = (person: Cells, changes: Partial<KnownOperation> = {}) =>
    forge(sql, forgedOf(person, changes));
  const idOf = async (reference: string): Promise<string> =>
    String((await sql(`SELECT id FROM svc.operations WHERE reference = '${reference}'`))[0]?.['id']);
  beforeEach(async () => {
    expect((await pay([OTHER], 'first')).json()).toMatchObject({ confirmed: 1 });
    expect((await svc('events sync', { env })).exitCode).toBe(0);
  });

  it.each(['', '--skip-paid', '--skip-feed-check'])('refuses nobody where it is no one %s', async (words) => {
    await write(FIRST);
    const paid = await both(words);
    expect(paid.json(), paid.stderr).toMatchObject({ confirmed: 2, earlier: 0 });
    expect(paid.stderr.split(`${NAMED}the service has no operation with that id`)).toHaveLength(2);
    expect(reads.filter((id) => id === FORGED_ID)).toEqual([FORGED_ID]);
    expect(await here.shaky.ledger()).toEqual(PAID_ONCE);
  });

  it('does not hide a payment by calling it failed', async () => {
    expect((await elsewhere([FIRST])).json()).toMatchObject({ confirmed: 1 });
    await svc('events sync', { env });
    await write(FIRST, { id: await idOf('emp-0000'), status: 'failed' });
    const refused = await both('--skip-feed-check');
    expect(refused.error()).toMatchObject({ exit_code: 13, code: 'references_paid', outcome: 'not_sent' });
    expect(refused.stderr).not.toContain('does not count');
  });

  it('confirms no row that is pending', async () => {
    const fees = fileIn(here.home.home, 'march.csv', feesCsv('incoming_transfer', ['fee-1,21.00']));
    expect((await svc(`payins batch ${fees} --json`, { env })).json()).toMatchObject({ pending: 1 });
    const [row] = Object.values(await here.rows('march', { ...here.shaky.env, ...env }));
    const forged = { id: row!['operation_id']!, direction: 'payin', method: 'incoming_transfer' } as const;
    await write({ reference: 'fee-1', amount: '21.00' }, forged);
    expect((await resume()).json()).toMatchObject({ confirmed: 0, pending: 1 });
    expect(reads.filter((id) => id === forged.id)).toEqual([forged.id]);
  });
});

describe.skipIf(shared === null)('the shared mirror that nobody but svc wrote in', () => {
  it('is proved once for each payment from elsewhere that it tells of', async () => {
    await here.pay(people(2), 'there', '', { env: here.machine('alone') });
    const skipped = await here.pay(people(2), 'march', '--skip-paid', { env, transport: counting });
    expect(skipped.json(), skipped.stderr).toMatchObject({ earlier: 2 });
    expect(reads).toHaveLength(2);
    expect(new Set(reads).size).toBe(2);
  });

  it('needs no proof of what rows were answered with, or --wait has read', async () => {
    const rows = [person(0), person(1, FAILING), person(2, PENDING)];
    const paid = await here.pay(rows, 'march', '--wait', { env, transport: counting });
    expect(paid.json(), paid.stderr).toMatchObject({ confirmed: 2, failed: 1 });
    reads.length = 0;
    const again = await here.pay(rows, 'april', '', { env, transport: counting });
    expect(again.failure()).toBe('13 references_paid');
    const retried = await svc('batches retry march --failed --json', { env, transport: counting });
    expect(retried.json(), retried.stderr).toMatchObject({ confirmed: 2, failed: 1 });
    expect(reads).toHaveLength(1);
  });
});
