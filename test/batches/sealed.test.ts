import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { appOf } from '../../src/command/app.js';
import { people } from '../support/payroll.js';
import { sharedDatabase } from '../support/shared-state.js';
import { sharingMachines } from '../support/sharing.js';

const { shared, here, env, sql, once } = sharingMachines(people(6), await sharedDatabase(), { key: 77 });
const { svc, pay } = here;
const NOTE = 'SVC_STATE_KEY_FILE=FILE';

describe.skipIf(shared === null)('a batch that machines share under a key', () => {
  const key = Buffer.alloc(32, 77).toString('base64');
  const file = (): string => env['SVC_STATE_KEY_FILE']!;

  it('is paid, retried and forgotten, and no stream and no table holds the key or a person', async () => {
    here.shaky.next({ status: 400, body: { error: { code: 'field_invalid', message: 'x' } } });
    const paid = await pay(people(6), 'march', '--debug', { env });
    expect(paid.exitCode).toBe(3);
    expect(paid.stderr).not.toContain(NOTE);
    const bodies = await sql('SELECT body FROM svc.bodies');
    expect(bodies).toHaveLength(6);
    for (const { body } of bodies) expect((body as Buffer).includes('beneficiary')).toBe(false);
    const retried = await svc('batches retry march --failed --json --debug', { env });
    expect(retried.json()).toMatchObject({ confirmed: 6 });
    expect((await svc('batches forget march --json', { env })).json()).toMatchObject({ bodies_removed: 6 });
    expect(await sql('SELECT 1 FROM svc.bodies')).toEqual([]);
    await once();
    const spoken = [paid, retried].map(({ stdout, stderr }) => stdout + stderr).join('');
    const held = await sql("SELECT string_agg(m::text, '') AS text FROM svc.meta m");
    const bytes = Buffer.from(key, 'base64');
    for (const secret of [key, key.slice(0, 40), bytes.toString('hex'), bytes.toString('base64url')])
      expect(spoken + String(held[0]!['text'])).not.toContain(secret);
  });

  it('does not leave again where the moment was changed at which a row had left, and says what to type', async () => {
    here.shaky.next('lost-after', 'lost-after', 'lost-after', 'lost-after');
    await pay(people(1), 'march', '', { env });
    await sql('UPDATE svc.rows SET sent_at = sent_at + 1000, left_at = left_at + 1000');
    const sent = here.shaky.posts.length;
    const failed = await svc('batches resume march --skip-feed-check', { env });
    const line = 'svc batches resolve --reference emp-0000 --operation ID march';
    expect(failed.failure()).toBe('16 store_damaged');
    expect(failed.error()['message']).toContain(line);
    expect(here.shaky.posts).toHaveLength(sent);
    await svc('events sync', { env });
    const [paid] = await sql('SELECT id FROM svc.operations');
    const resolved = await svc(line.replace('ID', String(paid!['id'])).replace('svc ', ''), { env });
    expect(resolved.exitCode, resolved.stderr).toBe(0);
    expect((await svc('batches resume march --json', { env })).json()).toMatchObject({ earlier: 1 });
    expect(await here.shaky.ledger()).toEqual({ 'emp-0000': 1 });
  });

  it('is refused without its key or with another one, and nothing leaves', async () => {
    const { SVC_STATE_KEY_FILE: _none, ...bare } = env;
    const missing = { exit_code: 13, code: 'state_key_missing', outcome: 'not_sent' };
    expect((await pay(people(6), 'march', '', { env: bare })).error()).toMatchObject(missing);
    writeFileSync(file(), Buffer.alloc(32, 78).toString('base64'));
    const differs = { exit_code: 16, code: 'state_key_differs', outcome: 'not_sent' };
    expect((await pay(people(6), 'march', '', { env })).error()).toMatchObject(differs);
    const gone = { ...env, SVC_STATE_KEY_FILE: join(here.home.home, 'no.key') };
    expect((await pay(people(6), 'march', '', { env: gone })).error()).toMatchObject({ exit_code: 16 });
    expect(here.shaky.posts).toEqual([]);
  });

  it('is opened with the key that was there when its command line began, which is read once', async () => {
    const nobody = { SVC_BASE_URL: 'http://127.0.0.1:9', SVC_API_KEY: '-' };
    const ports = { ...here.home.ports, env: { ...env, ...nobody } };
    const open = () => appOf(ports, { quiet: true, debug: false }, () => Promise.reject(new Error()));
    const stores = await open().stores();
    await (await stores.openJournal()).close();
    writeFileSync(file(), Buffer.alloc(32, 78).toString('base64'));
    await (await stores.openJournal()).close();
    await expect((await open().stores()).openJournal()).rejects.toThrow('key');
  });

  it('says once that others may read the key, or that there is none', async () => {
    chmodSync(file(), 0o644);
    const said = 'Other users of this machine may read the file in SVC_STATE_KEY_FILE';
    expect((await svc('batches list', { env })).stderr.split(said)).toHaveLength(2);
    expect((await svc('batches list --quiet', { env })).stderr).not.toContain(said);
    const plain = shared!.env();
    await svc('state init', { env: plain });
    expect((await pay(people(6), 'march', '', { env: plain })).stderr.split(NOTE)).toHaveLength(2);
    expect((await svc('batches list --quiet', { env: plain })).stderr).not.toContain(NOTE);
    expect((await svc('requests list', { env: plain })).stderr.split(NOTE)).toHaveLength(2);
  });
});
