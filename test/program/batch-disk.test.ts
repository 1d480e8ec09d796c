import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../soak/sandbox.js';
import { HAS_OWN_MOUNTS, inOwnMounts } from '../support/own-mounts.js';
import { csv, fileIn, people } from '../support/payroll.js';
import { shell, SHELL_COMMAND } from '../support/program.js';
import { IS_SOAK } from '../support/soak.js';
import { testFolder } from '../support/test-folder.js';

const ROWS = 150;
const LIMITS_KB = IS_SOAK ? [4, 200, 400, 500, 600, 700, 800, 1000, 1400] : [4, 200, 250, 700];

const folder = testFolder();
let sandbox: Sandbox;
const ends: string[] = [];
beforeAll(async () => {
  sandbox = await startSandbox(join(folder, 'service.db'), folder);
});
afterAll(() => sandbox.stop());

it.each(LIMITS_KB)('a file that may hold no more than %i KB', async (limitKb) => {
  const home = join(folder, `home-${String(limitKb)}`);
  mkdirSync(home);
  const mine = (reference: string): boolean => reference.startsWith(`limit-${String(limitKb)}-`);
  const file = fileIn(
    home,
    'pay.csv',
    csv(people(ROWS, (at) => ({ reference: `limit-${String(limitKb)}-${String(at)}` }))),
  );
  const env = { SVC_BASE_URL: `http://127.0.0.1:${String(sandbox.port)}`, SVC_API_KEY: sandbox.key };
  const line = `svc payouts batch ${file} --concurrency 4 --json`;
  // Without the trap, SIGXFSZ would end the process before svc could report the full disk.
  const small = await shell(`trap '' XFSZ; ulimit -f ${String(limitKb)}; ${line}`, home, { env });
  expect([0, 16], small.stderr).toContain(small.code);
  const sent = (await sandbox.operations()).filter(({ reference }) => mine(reference)).length;
  ends.push(sent === 0 ? 'nothing sent' : sent < ROWS ? 'stopped in the middle' : 'all sent');
  if (small.code === 16) {
    const { error } = JSON.parse(small.stderr.trimEnd().split('\n').at(-1)!) as {
      error: Record<string, unknown>;
    };
    expect(error).toMatchObject(
      sent > 0 ? { outcome: 'unknown', next_command: 'svc batches resume pay' } : { outcome: 'not_sent' },
    );
  }
  const whole = await shell(line, home, { env });
  expect([0, 13], whole.stderr).toContain(whole.code);
  const references = (await sandbox.operations()).map(({ reference }) => reference).filter(mine);
  expect(references).toHaveLength(ROWS);
  expect(new Set(references).size).toBe(ROWS);
});

it('was met before anything left, in the middle, and not at all', () => {
  expect(new Set(ends)).toEqual(new Set(['nothing sent', 'stopped in the middle', 'all sent']));
});

it('does not keep a batch from being looked at while what is old in it can’t be removed', async () => {
  const home = join(folder, 'home-full');
  mkdirSync(home);
  const file = fileIn(home, 'pay.csv', csv(people(ROWS, (at) => ({ reference: `full-${String(at)}` }))));
  const env = { SVC_BASE_URL: `http://127.0.0.1:${String(sandbox.port)}`, SVC_API_KEY: sandbox.key };
  expect((await shell(`svc payouts batch ${file} --json`, home, { env })).code).toBe(0);
  const holder = new DatabaseSync(join(home, '.local/state/svc/batches.db'));
  holder.exec(
    `PRAGMA wal_autocheckpoint = 0; UPDATE batches SET created_at = 0; UPDATE rows SET detail = '${'x'.repeat(900)}'`,
  );
  const full = await shell("trap '' XFSZ; ulimit -f 40; svc batches status pay --json", home, { env });
  const bodies = holder.prepare('SELECT count(*) AS count FROM bodies').get();
  holder.close();
  expect(full.code, full.stderr).toBe(0);
  expect(JSON.parse(full.stdout)).toMatchObject({ rows: ROWS, confirmed: ROWS });
  expect(full.stderr).toContain('could not remove old request bodies: The store of batches');
  expect(bodies).toEqual({ count: ROWS });
});

const ROOMS_KB = [0, 8, 24, 64, 124, 132, 210, 230, 340, 400];

it.skipIf(!HAS_OWN_MOUNTS)('a full disk is called that, wherever the room ends', async () => {
  const file = fileIn(folder, 'full.csv', csv(people(2)));
  const ends = ROOMS_KB.map(
    (room) => `rm -rf /mnt/*; mkdir /mnt/home; avail=$(df --output=avail -k /mnt | tail -1)
dd if=/dev/zero of=/mnt/fill bs=1k count=$((avail - ${String(room)})) 2> /dev/null
HOME=/mnt/home ${SHELL_COMMAND} payouts batch ${file} --batch full --json > /dev/null 2> ${folder}/said; echo "$? $(tail -n 1 ${folder}/said)"`,
  );
  const script = `set +e; mount -t tmpfs -o size=1m tmpfs /mnt; unset XDG_STATE_HOME XDG_DATA_HOME XDG_CACHE_HOME XDG_CONFIG_HOME
${ends.join('\n')}`;
  const { stdout, stderr } = await inOwnMounts(script);
  const said = stdout.trimEnd().split('\n');
  expect(said, stderr).toHaveLength(ROOMS_KB.length);
  for (const line of said) expect(line).toMatch(/^16 .*(disk is full)/);
});
