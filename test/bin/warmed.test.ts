import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../house/source.js';
import { testFolder } from '../support/test-folder.js';

it('names the line that failed, as on a full disk', () => {
  const folder = testFolder();
  const words = [process.execPath, '--random-seed=1', join(ROOT, 'scripts/build/warm.js')];
  const script = 'trap "" XFSZ; ulimit -f 8; exec "$@"';
  const { status, stderr } = spawnSync('sh', ['-c', script, 'sh', ...words, join(folder, 'svc.cache')], {
    ...{ env: { TMPDIR: folder }, encoding: 'utf8', timeout: 50_000 },
  });
  expect(stderr).toMatch(/payouts create .*: ended with 16/);
  expect([status, readdirSync(folder)]).toEqual([1, []]);
});
