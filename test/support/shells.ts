/** The shells that complete: whether one is on this machine, and zsh at a terminal, where alone it completes. */
import { spawnSync } from 'node:child_process';
import { spawn } from '@lydell/node-pty';
import { plain } from './terminal.js';

export const isThere = (shell: string): boolean => spawnSync(shell, ['-c', 'exit 0']).status === 0;

export type Zsh = Awaited<ReturnType<typeof openZsh>>;

/** Starts zsh without anybody's settings. @param scripts what is run before completion is set up, and what behind that */
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
  /** Types, and returns what the screen shows of it once that matches. */
  const types = (keys: string, pattern: RegExp): Promise<string> => {
    shown = '';
    return new Promise((resolve) => {
      pty.onData(() => {
        if (pattern.test(plain(shown))) resolve(plain(shown));
      });
      pty.write(keys);
    });
  };
  // Said in two pieces, so that the line itself is not taken for its answer.
  await types(`${before}; autoload -U compinit; compinit -u -D; ${behind}; echo lo''aded\r`, /\nloaded/);
  return { types, end: () => pty.kill('SIGKILL') };
}
