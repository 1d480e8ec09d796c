/** `svc state migrate`: the tables of the shared state come to the version of the program. */
import { describe, expect, it } from 'vitest';
import { SCHEMA_VERSION } from '../../../src/state/schema.js';
import { batchHome } from '../../support/batch-home.js';
import { sharedDatabase } from '../../support/shared-state.js';

const shared = await sharedDatabase();
const { svc } = batchHome();

describe.skipIf(shared === null)('svc state migrate', () => {
  it('says what it did, and prints what is to be done', async () => {
    const env = shared!.env();
    expect((await svc('state migrate', { env })).error()).toMatchObject({
      ...{ exit_code: 16, code: 'state_unusable' },
      message: expect.stringContaining('svc state init') as string,
    });
    await svc('state init', { env });
    const migrated = await svc('state migrate --json', { env });
    expect(migrated.json()).toEqual({ url: env['SVC_STATE'], schema_version: SCHEMA_VERSION, made: [] });
    expect((await svc('state migrate --print', { env })).stdout).toContain('Nothing to do');
    expect((await svc('state migrate --worker public --reader svc_reader', { env })).exitCode).toBe(2);
    expect((await svc('state migrate')).exitCode).toBe(2);
  });

  it('leaves what a newer svc has made, and refuses what no release has made', async () => {
    const env = shared!.env();
    await svc('state init', { env });
    await shared!.query(env, `UPDATE svc.meta SET version = 1007, least_writer = 1006, least_reader = 1006`);
    const newer = { exit_code: 16, code: 'store_newer' };
    expect((await svc('state migrate', { env })).error()).toMatchObject(newer);
    expect((await svc('batches list', { env })).error()).toMatchObject(newer);
    await shared!.query(env, `UPDATE svc.meta SET least_reader = 1`);
    expect((await svc('batches list --json', { env })).json()).toEqual({ batches: [] });
    await shared!.query(env, `UPDATE svc.meta SET version = 0, least_writer = 0, least_reader = 0`);
    for (const line of [
      'batches list',
      'state migrate',
      'state migrate --print',
      'state status',
      'state init',
    ])
      expect((await svc(line, { env })).error(), line).toMatchObject({
        ...{ exit_code: 16, code: 'state_unusable', outcome: 'not_sent' },
        next_command: expect.stringMatching(/^psql -h .* -c 'ALTER SCHEMA /) as string,
      });
  });
});
