import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { CERTIFICATE, PRIVATE_KEY } from '../../client/tls-server.js';
import { batchHome } from '../../support/batch-home.js';
import { people } from '../../support/payroll.js';
import { startPostgres } from '../../support/postgres.js';

const folder = mkdtempSync(join(tmpdir(), 'svc-encrypted-'));
const [certificate, key] = [join(folder, 'server.pem'), join(folder, 'server.key')];
writeFileSync(certificate, CERTIFICATE);
writeFileSync(key, PRIVATE_KEY, { mode: 0o600 });
// If the tests run as root, the PostgreSQL server runs as nobody.
if (process.getuid?.() === 0) for (const path of [folder, certificate, key]) chownSync(path, 65_534, 65_534);

const server = await startPostgres([
  ...['ssl=on', `ssl_cert_file=${certificate}`, `ssl_key_file=${key}`],
  'listen_addresses=127.0.0.1,127.0.0.2',
]);
const plain = await startPostgres();
afterAll(async () => {
  await server?.stop();
  await plain?.stop();
  rmSync(folder, { recursive: true, force: true });
});
const here = batchHome(people(2), 'sandbox', 'real');

describe.skipIf(server === null || plain === null)('the connection to the shared state', () => {
  const password = () => ({ SVC_STATE_PASSWORD: server!.address.password, SVC_STATE_PATIENCE: '60s' });
  const url = (host: string, mode: string, { port, user, database } = server!.address): string =>
    `postgres://${user}@${host}:${String(port)}/${database}${mode}`;
  const status = (host: string, mode: string, words: string, of = server!) =>
    here.svc(`state init --json --state-url ${url(host, mode, of.address)} ${words}`, { env: password() });

  it('is encrypted where that is asked for, with a certificate that --ca-file names', async () => {
    const made = await status('localhost', '?sslmode=verify-full', `--ca-file ${certificate}`);
    expect(made.json()).toMatchObject({ created: true });
    expect((await status('127.0.0.1', '?sslmode=require', `--ca-file ${certificate}`)).exitCode).toBe(0);
    expect((await status('127.0.0.1', '', '')).exitCode).toBe(0);
  });

  it('is not made to whoever did not prove its identity, and nobody waits', async () => {
    const message = expect.stringContaining('did not prove its identity') as string;
    const unproved = { exit_code: 16, code: 'state_unusable', message };
    expect((await status('localhost', '?sslmode=require', '')).error()).toMatchObject(unproved);
    const named = await status('127.0.0.2', '?sslmode=require', `--ca-file ${certificate}`);
    expect(named.error()).toMatchObject(unproved);
    const bare = await status('127.0.0.1', '?sslmode=require', `--ca-file ${certificate}`, plain!);
    expect(bare.error()).toMatchObject(unproved);
    const none = await status('localhost', '?sslmode=require', '--ca-file /nowhere');
    expect(none.exitCode).toBe(2);
  });
});
