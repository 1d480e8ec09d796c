/** `svc events unit`: what it prints is read as systemd reads it, verified by systemd where it is installed, typed, and run. */
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { environment, PROGRAM, shell } from '../../support/program.js';
import { startService } from '../../support/service.js';
import { settingsOf, specifiersIn, verifyUnit, wordsOfExec } from '../../support/systemd-unit.js';
import { world, type World } from '../../support/svc.js';
import { eventJson, pageBody } from '../../events/feed.js';

let home: World;
beforeEach(() => {
  home = world();
});
afterEach(() => home.remove());

const BASE = ['--base-url', 'https://api.example.com'];
const TO = ['--to', 'http://localhost:3000/hooks'];
const unit = (what: string, name: string, words: readonly string[], own: readonly string[] = []) =>
  home.svc(['events', 'unit', ...own, what, name, '--', ...words]);

describe('the unit', () => {
  it('runs the flags as they are, with a checkpoint of its name', async () => {
    const { exitCode, stdout, stderr } = await unit('forward', 'hooks', [...BASE, ...TO, '--health', '9180']);
    expect([exitCode, stderr]).toEqual([0, '']);
    const [line = ''] = settingsOf(stdout, 'ExecStart');
    expect(wordsOfExec(line)).toEqual([
      ...['/usr/bin/svc', 'events', 'forward', ...BASE, ...TO, '--health', '9180', '--checkpoint', 'hooks'],
    ]);
    const other = await unit(
      'tail',
      'x.1',
      [...BASE, '--exec=/usr/bin/env', '--checkpoint', 'mine'],
      ['--program', '/opt/svc/svc'],
    );
    expect(wordsOfExec(settingsOf(other.stdout, 'ExecStart')[0] ?? '')).toEqual([
      ...['/opt/svc/svc', 'events', 'tail', ...BASE, '--exec=/usr/bin/env', '--checkpoint', 'mine'],
    ]);
  });

  it('says what it is to be told, and when it is started anew', async () => {
    const { stdout } = await unit('forward', 'hooks', [...BASE, ...TO, '--max-lag', '10m']);
    const said = (name: string): string => settingsOf(stdout, name).join('|');
    expect(['Type', 'NotifyAccess', 'WatchdogSec', 'Restart', 'SuccessExitStatus'].map(said)).toEqual([
      ...['notify', 'all', '1200', 'on-failure', '143'],
    ]);
    expect(said('RestartPreventExitStatus')).toBe('2 4 6 13 16');
    expect(said('LoadCredential')).toBe('key:/etc/svc/hooks.key');
    expect(said('Environment')).toContain('SVC_API_KEY_FILE=%d/key');
    expect(['DynamicUser', 'NoNewPrivileges', 'ProtectSystem', 'StateDirectory'].map(said)).toEqual([
      ...['yes', 'yes', 'strict', 'svc-hooks'],
    ]);
    expect(stdout).not.toContain('MemoryDenyWriteExecute');
  });

  it('has a credential for each secret that its flags need', async () => {
    const shared = [...BASE, ...TO, '--state-url', 'postgres://svc@db.example/svc'];
    const of = async (words: readonly string[]): Promise<string[]> =>
      settingsOf((await unit('forward', 'h', words)).stdout, 'LoadCredential');
    expect(await of(shared)).toEqual(['key:/etc/svc/h.key', 'state-password:/etc/svc/h.state-password']);
    expect(await of([...shared, '--live'])).toContain('state-key:/etc/svc/h.state-key');
  });

  it('keeps the place in the tables of --into, and has the password of theirs', async () => {
    const of = async (into: string): Promise<[string[], string[]]> => {
      const { stdout, exitCode, stderr } = await unit('tail', 'books', [...BASE, '--into', into, '--create']);
      expect(exitCode, stderr).toBe(0);
      return [wordsOfExec(settingsOf(stdout, 'ExecStart')[0] ?? ''), settingsOf(stdout, 'LoadCredential')];
    };
    const file = 'sqlite:/var/lib/svc-books/feed/events.db';
    expect(await of(file)).toEqual([
      ['/usr/bin/svc', 'events', 'tail', ...BASE, '--into', file, '--create'],
      ['key:/etc/svc/books.key'],
    ]);
    const [words, credentials] = await of('postgres://books@db.example/books');
    expect([words.includes('--checkpoint'), credentials]).toEqual([
      false,
      ['key:/etc/svc/books.key', 'into-password:/etc/svc/books.into-password'],
    ]);
  });

  it('is one that systemd has nothing to say about, whatever stands in it', async () => {
    const hostile = `-x 20'48 "$(touch pwned)" ; \`touch pwned\` %n %d $HOME \\ --live\nExecStartPre=/bin/evil`;
    const words = [...BASE, '--exec', '/bin/cat > /dev/null', `--reference=${hostile}`, '--log', 'json'];
    const { exitCode, stdout } = await unit('tail', 'A_b-c.9', words, ['--program', '/bin/true']);
    expect(exitCode).toBe(0);
    expect(wordsOfExec(settingsOf(stdout, 'ExecStart')[0] ?? '')).toContain(`--reference=${hostile}`);
    expect(stdout.match(/^Exec/gm)).toHaveLength(1);
    const path = join(home.home, 'svc-A_b-c.9.service');
    writeFileSync(path, stdout);
    expect(verifyUnit(path) ?? '').toBe('');
    // The verifier sees what is wrong.
    writeFileSync(path, stdout.replace('NoNewPrivileges=', 'NoNewPrivilege='));
    expect(verifyUnit(path) ?? 'Unknown key').toContain('Unknown key');
  });
});

describe('what is refused', () => {
  it.each<[string, string[], string]>([
    ['a name that leads elsewhere', ['forward', '../x', '--', ...BASE, ...TO], 'The name of a checkpoint'],
    ['a name like a flag', ['forward', '--', ...BASE, ...TO], 'NAME is missing'],
    ['no receiver', ['forward', 'h', '--', ...BASE], '--to URL'],
    ['no flags at all', ['forward', 'h'], '--base-url'],
    ['no address', ['forward', 'h', '--', ...TO], '--base-url'],
    ['nobody who reads', ['tail', 't', '--', ...BASE], '--exec'],
    ['an end', ['forward', 'h', '--', ...BASE, ...TO, '--no-follow'], '--no-follow'],
    ['a secret', ['forward', 'h', '--', ...BASE, ...TO, '--print-secret'], '--print-secret'],
    ['a profile', ['forward', 'h', '--', ...TO, '--profile', 'shop'], '--profile'],
    ['a flag that is none', ['forward', 'h', '--', ...BASE, ...TO, '--tp', 'x'], '--tp'],
    ['a flag of the other', ['tail', 'h', '--', ...BASE, ...TO], '--to'],
    ['a port of root', ['forward', 'h', '--', ...BASE, ...TO, '--health', '80'], 'orts below 1024'],
    ['no time', ['forward', 'h', '--', ...BASE, ...TO, '--timeout', '0s'], '--timeout'],
    ['an address that is none', ['forward', 'h', '--', '--base-url', 'nonsense', ...TO], '--base-url'],
    ['a receiver that is none', ['forward', 'h', '--', ...BASE, '--to', 'nonsense'], '--to must be a URL'],
    ['a bad value', ['forward', 'h', '--', ...BASE, ...TO, '--max-lag', 'soon'], '--max-lag'],
    ['an argument', ['forward', 'h', '--', ...BASE, ...TO, 'more'], 'more'],
    ['a place before --', ['forward', 'h', '--live', '--', ...BASE, ...TO], '--live'],
    [
      'a limit before --',
      ['forward', 'h', '--timeout', '9s', '--', ...BASE, ...TO],
      'Add --timeout after "--"',
    ],
    ['a program that is blank', ['tail', 't', '--', ...BASE, '--exec', ' '], '--exec cannot be empty'],
    ['a program here', ['tail', 't', '--', ...BASE, '--exec', './handle-event'], 'the whole path'],
    ['a program at home', ['tail', 't', '--', ...BASE, '--exec', '/home/me/handle event'], 'hidden'],
    ['certificates here', ['forward', 'h', '--', ...BASE, ...TO, '--ca-file', 'ca.pem'], 'the whole path'],
    ['tables elsewhere', ['tail', 't', '--', ...BASE, '--into', 'sqlite:/srv/t.db'], '/var/lib/svc-t/feed/'],
    ['a table that is none', ['tail', 't', '--', ...BASE, '--into', 'mysql://x'], '--into must be'],
    [
      'a place beside the tables',
      ['tail', 't', '--', ...BASE, '--into', 'sqlite:/var/lib/svc-t/feed/e.db', '--checkpoint', 'x'],
      'exclude each other',
    ],
    ['svc itself elsewhere', ['forward', 'h', '--program', 'svc', '--', ...BASE, ...TO], '--program'],
    ['something else', ['list', 'h', '--', ...BASE], 'forward'],
    ['a key', ['forward', 'h', '--', ...BASE, ...TO, '--reference', 'svc_test_0123456789'], 'API key'],
  ])('%s is 2', async (_what, words, text) => {
    const { exitCode, stdout, error } = await home.svc(['events', 'unit', ...words]);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(error()['message']).toContain(text);
  });
});

it('refuses a receiver where no delivery may go as the service would: 13', async () => {
  for (const to of ['http://169.254.169.254/latest', 'http://10.0.0.1/', 'http://8.8.8.8/'])
    expect((await unit('forward', 'h', [...BASE, '--to', to, '--allow-remote'])).exitCode).toBe(13);
});

/** What the head says to type, as a shell takes it here: folders of root below a folder of the test's, systemctl a note of its own. */
async function typed(text: string, name: string): Promise<string> {
  const root = join(home.home, 'root');
  const bin = join(home.home, 'bin');
  mkdirSync(join(root, 'etc/systemd/system'), { recursive: true });
  mkdirSync(bin);
  const put = (program: string, script: string): void => {
    writeFileSync(join(bin, program), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, program), 0o755);
  };
  put('sudo', 'exec "$@"');
  put('systemctl', `echo "$*" >> '${home.home}/systemctl'`);
  writeFileSync(join(root, `etc/systemd/system/svc-${name}.service`), text);
  const lines = [...text.matchAll(/^# {3}((?:sudo|systemctl) .*)$/gm)].map(([, line = '']) => line);
  expect(lines).toHaveLength(5);
  const script = lines.map((line) => line.replaceAll('/etc/', `${root}/etc/`)).join('\n');
  const { code, stderr } = await shell(`set -e\nexport PATH="${bin}:$PATH"\n${script}`, home.home, {
    stdin: 'svc_test_fromtheunit\n',
  });
  expect([code, stderr]).toEqual([0, '']);
  expect(readFileSync(join(home.home, 'systemctl'), 'utf8')).toBe(
    `daemon-reload\nenable --now svc-${name}\nstatus svc-${name}\n`,
  );
  return root;
}

it('typed as its head says, and started as systemd starts it, it hands over events with the key from its file', async () => {
  const service = await startService(({ target }, response) => {
    const isFirst = !target.includes('cursor=');
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(pageBody(isFirst ? [eventJson('e1')] : [], '1'));
  });
  const out = join(home.home, 'got "it"');
  const exec = `cat >> '${out}'; kill -TERM $PPID`;
  const { stdout } = await unit(
    'tail',
    'orders',
    ['--base-url', service.url, '--exec', exec],
    ['--program', PROGRAM],
  );
  const root = await typed(stdout, 'orders');
  expect(statSync(join(root, 'etc/svc/orders.key')).mode & 0o777).toBe(0o600);
  const specifiers = { d: join(root, 'etc/svc'), S: join(home.home, 'S'), C: join(home.home, 'C') };
  const env = Object.fromEntries(
    settingsOf(stdout, 'Environment').map((line) => {
      const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(specifiersIn(line, specifiers)) ?? [];
      return [name, value];
    }),
  );
  // The credential is found under its own name.
  const key = join(root, 'etc/svc/orders.key');
  expect(settingsOf(stdout, 'LoadCredential')).toEqual(['key:/etc/svc/orders.key']);
  const words = wordsOfExec(settingsOf(stdout, 'ExecStart')[0] ?? '', specifiers);
  const { spawn } = await import('node:child_process');
  const child = spawn(process.execPath, words, {
    env: { ...environment(home.home, env), SVC_API_KEY_FILE: key },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const code = await new Promise((resolve) => child.once('exit', resolve));
  await service.stop();
  expect(code).toBe(143);
  expect(settingsOf(stdout, 'SuccessExitStatus')).toEqual(['143']);
  expect(service.received[0]?.headers.authorization).toBe('Bearer svc_test_fromtheunit');
  expect(readFileSync(out, 'utf8')).toBe(`${eventJson('e1')}\n`);
  expect(statSync(join(home.home, 'S/svc-orders/state/svc/checkpoints')).isDirectory()).toBe(true);
});
