/** `svc doctor` over folders that can't be read: each is named, and hides nothing beside it. */
import disk from 'node:fs';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eachWorld } from '../support/svc.js';

const { readdirSync } = disk;
const here = eachWorld();
let folder: string;

beforeEach(() => {
  folder = here.ports.paths.state;
  mkdirSync(join(folder, 'closed'), { recursive: true, mode: 0o700 });
  mkdirSync(join(folder, 'below'), { mode: 0o700 });
});
afterEach(() => refuse(null, ''));

/** The disk doesn't show what is in that folder: also to root, who runs some of these tests. */
function refuse(path: string | null, code: string): void {
  disk.readdirSync = ((...given: Parameters<typeof readdirSync>) => {
    if (given[0] === path) throw Object.assign(new Error(code), { code });
    return readdirSync(...given);
  }) as typeof readdirSync;
  syncBuiltinESMExports();
}

async function files(): Promise<unknown> {
  const { checks } = (await here.svc('doctor')).json() as { checks: { check: string }[] };
  return checks.find(({ check }) => check === 'files');
}

it('names a folder that it could not look into, and what is open beside it', async () => {
  const [closed, open] = [join(folder, 'closed'), join(folder, 'below', 'open')];
  writeFileSync(open, '');
  chmodSync(open, 0o666);
  refuse(closed, 'EACCES');
  expect(await files()).toMatchObject({
    status: 'error',
    message: `Others may read or change ${open}. svc could not look into ${closed} (EACCES).`,
    fix: `chmod 600 ${open} && chmod u+rwx ${closed}`,
  });
});

it('knows no line to type where the disk is to blame', async () => {
  const closed = join(folder, 'closed');
  refuse(closed, 'EIO');
  const message = `svc could not look into ${closed} (EIO).`;
  expect(await files()).toMatchObject({ status: 'error', message, fix: null });
});

it('passes over a folder that is gone meanwhile', async () => {
  refuse(join(folder, 'closed'), 'ENOENT');
  expect(await files()).toMatchObject({ status: 'ok', message: 'Only you can read what svc wrote.' });
});
