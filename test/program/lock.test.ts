import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { COMMAND, environment, SHELL_COMMAND } from '../support/program.js';
import { startService } from '../support/service.js';
import { isThere } from '../support/shells.js';
import { openTerminal } from '../support/terminal.js';
import { testFolder } from '../support/test-folder.js';

const IS_LINUX = process.platform === 'linux';

const home = testFolder();
const service = await startService((_received, response) => void response.writeHead(500).end());
beforeEach(() => service.received.splice(0));

const CREATE = `${SHELL_COMMAND} api POST /v2/payouts --data '{}' --idempotency-key k-0000000000001 --live --insecure-loopback`;
const env = (more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv =>
  environment(home, { SVC_BASE_URL: service.url, SVC_API_KEY: 'svc_live_sandbox_of_the_lock', ...more });

async function ended(
  [file = '', ...args]: readonly string[],
  {
    more = {},
    stdin = '',
    onOutput = (): void => undefined,
  }: {
    readonly more?: Readonly<Record<string, string>>;
    readonly stdin?: string;
    readonly onOutput?: (output: string, pid: number) => void;
  } = {},
) {
  const child = spawn(file, args, { env: env(more), stdio: 'pipe' });
  let output = '';
  const take = (chunk: Buffer): void => {
    output += String(chunk);
    onOutput(output, child.pid!);
  };
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  child.stdin.on('error', () => undefined).end(stdin);
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { code, signal, output };
}

const locked = (lock: string, ...command: readonly string[]): string[] => [
  ...COMMAND,
  ...['lock', lock, '--', ...command],
];

const TRIED = [
  ...[`unset SVC_LOCK; ${CREATE}`, `unset SVC_LOCK; ${CREATE}; true`, `unset SVC_LOCK; exec ${CREATE}`],
  `exec env -u SVC_LOCK ${CREATE}`,
  `exec env -i HOME="$HOME" SVC_BASE_URL="$SVC_BASE_URL" SVC_API_KEY="$SVC_API_KEY" ${CREATE}`,
  ...[`SVC_LOCK= ${CREATE}`, `unset SVC_LOCK; ( ${CREATE} & )`],
  `unset SVC_LOCK; ( setsid nohup ${CREATE} & ) ; exit`,
  `unset SVC_LOCK; kill -9 $PPID; sleep 1; exec ${CREATE}`,
  `unset SVC_LOCK; exec ${SHELL_COMMAND} lock read-only -- ${CREATE}`,
];

describe.skipIf(!IS_LINUX).each(['bash', 'zsh', 'dash'])('below svc lock, %s', (shell) => {
  it.skipIf(!isThere(shell)).each(['read-only', 'sandbox'])('cannot take %s off', async (lock) => {
    for (const line of TRIED) {
      const { output } = await ended(locked(lock, shell, '-c', line));
      expect(output, line).toContain('"code":"locked"');
    }
    expect(service.received).toEqual([]);
  });

  it.skipIf(!isThere(shell))('takes a variable off by replacing itself', async () => {
    const line = `unset SVC_LOCK; exec ${CREATE}`;
    await ended(['env', 'SVC_LOCK=sandbox', shell, '-c', line], { more: { HOME: join(home, shell) } });
    expect(service.received.map(({ method }) => method)).toContain('POST');
  });
});

it.each([
  [['true'], 0],
  [['sh', '-c', 'exit 3'], 3],
  [['/nowhere/at-all'], 127],
  [['/etc/passwd'], 126],
  [['no such "program" $HOME'], 127],
])('ends as %j ends', async (command, code) => {
  expect(await ended(locked('sandbox', ...command))).toMatchObject({ code, signal: null });
});

it.each(['TERM', 'HUP', 'INT', 'KILL', 'USR1'])('ends by %s where that ended it', async (name) => {
  const command = ['sh', '-c', `kill -${name} $$; sleep 5`];
  expect(await ended(locked('read-only', ...command))).toEqual({
    ...{ code: null, signal: `SIG${name}`, output: '' },
  });
});

const PASSED_ON = ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const;
it.each(PASSED_ON)('passes %s on, and ends when the program does', async (name) => {
  const traps = `trap 'echo got; sleep 0.2; echo and on; exit 9' ${name.slice(3)}; echo ready; while :; do sleep 0.05; done`;
  let isSent = false;
  const onOutput = (output: string, pid: number): void => {
    if (isSent || !output.includes('ready')) return;
    isSent = true;
    process.kill(pid, name);
  };
  const end = await ended(locked('sandbox', 'bash', '-c', traps), { onOutput });
  expect(end).toEqual({ code: 9, signal: null, output: 'ready\ngot\nand on\n' });
});

it('hands its input through, its environment, and its words', async () => {
  const script = 'cat; printf "%s|" "$@" "$SVC_API_KEY" "$HIS" "$SVC_LOCK"; env | grep -c SVC_LOCK';
  const words = ['a b', '$HOME', "it's", '', '--', '-x', 'é'];
  const { output } = await ended(locked('read-only', 'sh', '-c', script, 'sh', ...words), {
    ...{ stdin: 'typed\n', more: { HIS: 'own' } },
  });
  expect(output).toBe(`typed\n${words.join('|')}|svc_live_sandbox_of_the_lock|own|read-only|1\n`);
});

it.each([
  ['read-only', 'sandbox', 'sandbox'],
  ['sandbox', 'read-only', 'sandbox'],
  ['read-only', 'read-only', 'read-only'],
])('%s around %s is %s', async (outer, inner, both) => {
  const { output } = await ended(locked(outer, ...locked(inner, 'sh', '-c', 'echo $SVC_LOCK')));
  expect(output).toBe(`${both}\n`);
  const given = await ended(locked(inner, 'sh', '-c', 'echo $SVC_LOCK'), { more: { SVC_LOCK: outer } });
  expect(given.output).toBe(`${both}\n`);
});

it.each([
  [['lock'], 'Give a command after'],
  [['lock', 'sandbox'], 'Give a command after'],
  [['lock', 'sandbox', 'true'], 'Give a command after'],
  [['lock', '--', 'true'], 'LOCK'],
  [['lock', 'off', '--', 'true'], 'off'],
  [['lock', 'sandbox', '--live', '--', 'true'], '--live'],
])('refuses %j and runs nothing', async (words, text) => {
  const end = await ended([...COMMAND, ...words]);
  expect(end.code).toBe(2);
  expect(end.output).toContain(text);
});

it('at a terminal a program gets Ctrl-C once each time, and its lines', async () => {
  const program = `trap 'echo stop; seen=$((seen + 1))' INT; test -t 0 && stty size; while read -r line || test "$seen" -lt 3; do echo "<$line $seen>"; done; exit $((40 + seen))`;
  const run = openTerminal(['lock', 'sandbox', '--', 'bash', '-c', `seen=0; ${program}`], { home });
  await run.asks(/30 80/);
  await run.answers('one', /<one 0>/);
  run.press('\u0003');
  await run.asks(/stop/);
  await run.answers('two', /<two 1>/);
  run.press('\u0003');
  await run.asks(/stop/);
  await run.answers('three', /<three 2>/);
  run.press('\u0003');
  await run.asks(/stop/);
  await run.answers('four', /<four 3>/);
  run.press('\u0004');
  expect(await run.ended).toBe(43);
});
