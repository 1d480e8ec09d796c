import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VERSION } from '../../src/runtime/version.js';
import { COMMAND } from '../support/program.js';
import { WRAPPER } from './project.js';

const IS_ONE_FILE = process.env['SVC'] !== undefined;
const BANKS = ['banks', '--country', 'VE', '--jq', '.banks | length > 0'];

describe.skipIf(!IS_ONE_FILE)('the executable (skipped without SVC=path)', () => {
  let root: string;
  let moved: string;
  beforeAll(() => {
    root = fs.mkdtempSync(join(tmpdir(), "svc's one file "));
    moved = join(root, '-renamed "svc"');
    fs.copyFileSync(COMMAND[0], moved);
    fs.chmodSync(moved, 0o555);
    fs.mkdirSync(join(root, 'home'));
  });
  afterAll(() => fs.rmSync(root, { recursive: true, force: true }));

  const run = (
    args: readonly string[],
    env: NodeJS.ProcessEnv = { HOME: join(root, 'home') },
    file = moved,
  ) => spawnSync(file, args, { encoding: 'utf8', env, cwd: '/', timeout: 30_000 });

  it('runs under another name, copied, where it can only be read', () => {
    expect(run(['--version'])).toMatchObject({ status: 0, stdout: `svc ${VERSION}\n` });
    expect(run(BANKS)).toMatchObject({ status: 0, stdout: 'true\n' });
  });

  const OPTIONS = ['--require /nowhere/at-all.js', '--inspect-brk', '--no-such-option', '--jitless'];
  it.each(OPTIONS)('takes nothing from NODE_OPTIONS=%s', (options) => {
    const env = { HOME: join(root, 'home'), NODE_OPTIONS: options };
    expect(run(BANKS, env)).toMatchObject({ status: 0, stdout: 'true\n' });
  });

  it.each([
    ['none', {}],
    ['one that is no folder', { HOME: '/dev/null' }],
    ['one that can hold nothing', { HOME: '/proc/self' }],
  ])('says its version and shows help with this home: %s', (_what, env) => {
    expect(run(['--version'], env)).toMatchObject({ status: 0, stdout: `svc ${VERSION}\n` });
    expect(run(['payins', '--help'], env).status).toBe(0);
    const signed = {
      ...{ SVC_WEBHOOK_SECRET: 'whsec_x', SVC_WEBHOOK_SIGNATURE: 'v1=00', SVC_WEBHOOK_TIMESTAMP: '1' },
    };
    expect(run(['webhooks', 'verify'], { ...env, ...signed })).toMatchObject({ status: 17, signal: null });
  });

  it('says in one sentence that it is damaged, and does nothing', () => {
    const spoiled = join(root, 'spoiled');
    fs.copyFileSync(COMMAND[0], spoiled);
    fs.chmodSync(spoiled, 0o755);
    const bytes = fs.readFileSync(spoiled);
    const chunk = `${WRAPPER[0]}var `;
    for (let at = bytes.indexOf(chunk); at >= 0; at = bytes.indexOf(chunk, at + 1)) bytes[at + 60]! ^= 1;
    fs.writeFileSync(spoiled, bytes);
    const refused = run(BANKS, { HOME: join(root, 'home') }, spoiled);
    expect(refused).toMatchObject({ status: 1, signal: null, stdout: '' });
    expect(refused.stderr).toBe(
      `${spoiled} (svc.pack) is not as it was built: svc is damaged. Install it again.\n`,
    );
  });
});
