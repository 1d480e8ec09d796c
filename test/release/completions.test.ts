import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { SCRIPTS } from '../../src/command/completion/shells.js';
import { environment, SHELL_COMMAND } from '../support/program.js';
import { isThere, openZsh } from '../support/shells.js';
import { testFolder } from '../support/test-folder.js';

const folder = testFolder();
let env: NodeJS.ProcessEnv;

beforeAll(() => {
  const put = (path: string, text: string): void => {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text, { mode: 0o755 });
  };
  put('bin/svc', `#!/bin/sh\nexec ${SHELL_COMMAND} "$@"\n`);
  put('bash-completion/completions/svc', SCRIPTS.bash);
  put('zsh/_svc', SCRIPTS.zsh);
  put('fish/svc.fish', SCRIPTS.fish);
  env = { ...environment(folder), PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}` };
  spawnSync('svc', ['profiles', 'add', 'shop', '--base-url', 'https://api.example.com'], { env });
});

it('bash', () => {
  const path = join(folder, 'bash-completion/completions/svc');
  const script = `source '${path}'; complete -p svc; COMP_WORDS=(svc -p sh); COMP_CWORD=2; _svc 2> /dev/null; echo "\${COMPREPLY[@]}"`;
  const { stdout } = spawnSync('bash', ['--norc', '-c', script], { encoding: 'utf8', env });
  expect(stdout).toBe('complete -F _svc svc\nshop\n');
});

it.skipIf(!isThere('fish'))('fish (skipped where there is none: apt-get install fish)', () => {
  const script = `set -p fish_complete_path '${join(folder, 'fish')}'; complete -C 'svc -p sh'`;
  const { stdout } = spawnSync('fish', ['-c', script], { encoding: 'utf8', env });
  expect(stdout).toContain('shop');
});

it.skipIf(!isThere('zsh'))('zsh, at the first tab (needs `apt-get install zsh`)', async () => {
  const zsh = await openZsh(env, { before: `fpath=('${join(folder, 'zsh')}' $fpath)` });
  try {
    await zsh.types('svc -p sh\t', /svc -p shop/);
    await zsh.types('\u0015svc payi\t', /payins/);
  } finally {
    zsh.end();
  }
});

it('without the program there is nothing, and no error', () => {
  const script = `PATH=/nowhere; source '${join(folder, 'bash-completion/completions/svc')}'; COMP_WORDS=(svc pa); COMP_CWORD=1; _svc; printf %s "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script], { encoding: 'utf8', env });
  expect({ stdout, stderr }).toEqual({ stdout: '', stderr: '' });
});
