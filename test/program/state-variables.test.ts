import { expect, it } from 'vitest';
import { SCHEMA_VERSION } from '../../src/storage/postgres/schema.js';
import { shell } from '../support/program.js';
import { sharedDatabase } from '../support/shared-state.js';
import { testFolder } from '../support/test-folder.js';

const shared = await sharedDatabase();
const home = testFolder();

it.skipIf(shared === null)('takes nothing from the variables of other programs', async () => {
  const env = {
    ...shared!.env(),
    ...{ PGSSLMODE: 'verify-full', PGSSLNEGOTIATION: 'direct', PGHOST: 'nowhere', PGREPLICATION: 'true' },
    ...{ PGOPTIONS: '-c default_transaction_read_only=on', PGCONNECT_TIMEOUT: '1', PGPASSFILE: '/nowhere' },
    NODE_PG_FORCE_NATIVE: '1',
  };
  const { code, stdout, stderr } = await shell('svc state init --json', home, { env });
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ schema_version: SCHEMA_VERSION });
});
