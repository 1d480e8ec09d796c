import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const ATTEMPTS = 200;
const PAUSE_MS = 50;

/** @param {string} program @param {number} columns */
export function openScreen(program, columns) {
  const home = mkdtempSync(join(tmpdir(), 'svc-pictures-'));
  const socket = join(home, 'tmux');
  /** @param {string[]} args */
  const tmux = (...args) => {
    const { stdout, stderr, status } = spawnSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], {
      encoding: 'utf8',
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: home,
        TERM: 'xterm-256color',
        LC_ALL: 'C.UTF-8',
        TZ: 'UTC',
      },
    });
    if (status !== 0) throw new Error(`tmux ${args[0]}: ${stderr}`);
    return stdout;
  };
  const size = ['-x', String(columns), '-y', '40'];
  tmux('new-session', '-d', ...size, "PS1='$ ' exec bash --norc --noprofile");
  tmux('send-keys', `svc() { '${program}' "$@"; }; clear`, 'Enter');
  const read = () => tmux('capture-pane', '-p', '-e');
  /** @param {RegExp} pattern */
  const shows = async (pattern) => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      if (pattern.test(tmux('capture-pane', '-p'))) return read();
      await sleep(PAUSE_MS);
    }
    throw new Error(`the screen does not show ${String(pattern)}:\n${tmux('capture-pane', '-p')}`);
  };
  return {
    shows,
    /** @param {string} line */
    type: (line) => void tmux('send-keys', '-l', line),
    /** @param {string[]} keys */
    press: (...keys) => void tmux('send-keys', ...keys),
    /** Text that is typed before the prompt is there would be shown twice. */
    clear: async () => {
      tmux('send-keys', 'clear', 'Enter');
      await shows(/^\$\s*$/);
    },
    close: () => {
      tmux('kill-server');
      // The programs in tmux end a moment after tmux.
      rmSync(home, { recursive: true, force: true, maxRetries: 20 });
    },
  };
}
