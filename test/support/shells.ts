import { spawnSync } from 'node:child_process';
import { spawn } from '@lydell/node-pty';
import { plain } from './terminal.js';

export const isThere = (shell: string): boolean => spawnSync(shell, ['-c', 'exit 0']).status === 0;

export type Zsh = Awaited<ReturnType<typeof openZsh>>;

export async function openZsh(
  env: Readonly<NodeJS.ProcessEnv>,
  { before = ':', behind = ':' }: { readonly before?: string; readonly behind?: string },
) {
  const pty = spawn('zsh', ['-f', '-i'], {
    ...{ cols: 120, rows: 50 },
    env: { ...env, TERM: 'xterm', PS1: 'ready> ' },
  });
  let shown = '';
  pty.onData((data) => (shown += data));
  const types = (keys: string, pattern: RegExp): Promise<string> => {
    shown = '';
    return new Promise((resolve) => {
      pty.onData(() => {
        if (pattern.test(plain(shown))) resolve(plain(shown));
      });
      pty.write(keys);
    });
  };
  // The text is typed in two pieces, so that the echo of the line is not taken for its answer.
  await types(`${before}; autoload -U compinit; compinit -u -D; ${behind}; echo lo''aded\r`, /\nloaded/);
  return { types, end: () => pty.kill('SIGKILL') };
}
