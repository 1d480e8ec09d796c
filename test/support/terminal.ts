/** Tests wait for what the terminal shows, never for time. */
import { spawn } from '@lydell/node-pty';
import { onTestFinished } from 'vitest';
import { COMMAND, environment } from './program.js';
import { testFolder } from './test-folder.js';

export type TerminalRun = ReturnType<typeof openTerminal>;

export const KEYS = {
  ...{ enter: '\r', escape: '\u001b', ctrlC: '\u0003', up: '\u001b[A', down: '\u001b[B' },
  ...{ right: '\u001b[C', left: '\u001b[D' },
} as const;

export function pasted(text: string): string {
  return `\u001b[200~${text}\u001b[201~`;
}

const LISTENING = `${String.fromCharCode(27)}[?2004h`;

export const RESTORED = 'terminal: as it was';
/** `TERM` goes to the program, and not to the shell that watches over the terminal. */
const WATCH = `trap : INT TERM; before=$(stty -g); "$@"; code=$?; [ "$before" = "$(stty -g)" ] && echo '${RESTORED}'; exit $code`;

const ESCAPES = new RegExp(`${String.fromCharCode(27)}(\\[[0-9;?]*[A-Za-z]|[78=>])`, 'g');

export function plain(text: string): string {
  return text.replace(ESCAPES, '').replaceAll('\r', '');
}

export function openTerminal(
  args: readonly string[],
  options: {
    readonly env?: Readonly<Record<string, string>>;
    readonly columns?: number;
    readonly home?: string;
    readonly program?: readonly string[];
  } = {},
) {
  const home = options.home ?? testFolder();
  const env = environment(home, { TERM: 'xterm-256color', ...options.env });
  const command = ['-c', WATCH, 'sh', ...(options.program ?? COMMAND), ...args];
  const pty = spawn('sh', command, { cols: options.columns ?? 80, rows: 30, env });
  let [shown, since] = ['', 0];
  const waiting = new Set<() => void>();
  pty.onData((data) => {
    shown += data;
    for (const look of waiting) look();
  });
  const ended = new Promise<number>((resolve) => pty.onExit(({ exitCode }) => resolve(exitCode)));
  onTestFinished(async () => {
    pty.kill('SIGKILL');
    await ended;
  });
  const seen = (pattern: RegExp, isScreen: boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      // Until the program asks for pastes, the terminal itself edits lines.
      const look = (): boolean =>
        (!isScreen || shown.includes(LISTENING)) && pattern.test(plain(shown.slice(since)));
      if (look()) {
        resolve();
        return;
      }
      const done = (): void => {
        if (!look()) return;
        waiting.delete(done);
        resolve();
      };
      waiting.add(done);
      void ended.then(() => {
        if (!look()) reject(new Error(`ended without showing ${String(pattern)}:\n${plain(shown)}`));
      });
    });
  const shows = (pattern: RegExp): Promise<void> => seen(pattern, true);
  const asks = (pattern: RegExp): Promise<void> => seen(pattern, false);
  const press = (keys: string): void => {
    since = shown.length;
    pty.write(keys);
  };
  const go = (keys: string, pattern: RegExp): Promise<void> => {
    press(keys);
    return shows(pattern);
  };
  const answers = (line: string, pattern: RegExp): Promise<void> => {
    press(`${line}\r`);
    return asks(pattern);
  };
  return {
    ...{ pty, shows, asks, answers, press, go, ended },
    all: () => shown,
    text: () => plain(shown),
  };
}
