import { spawn, spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { csv, people } from '../support/payroll.js';
import { firstLine } from '../support/program.js';
import { payout } from '../support/requests.js';
import { freePort } from '../support/serving.js';
import { VERSION } from '../../src/runtime/version.js';
import { KEYS, openTerminal } from '../support/terminal.js';
import { ROOT } from '../house/source.js';

const RELEASE = join(ROOT, 'release');
const HOME = '/root';
const ENV = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', HOME, NO_COLOR: '1' };
const TIMEOUT_MS = 120_000;
const DEB_MAX_BYTES = 32_000_000;
const IS_WANTED = process.env['RELEASE'] === '1';
const CAN_CHANGE_ROOT = process.platform === 'linux' && process.getuid?.() === 0;

describe.skipIf(!IS_WANTED)('the release (skipped without RELEASE=1)', () => {
  it('has the files that its sums say, and a .deb that is small enough', () => {
    const lines = fs.readFileSync(join(RELEASE, 'SHA256SUMS'), 'utf8').trimEnd().split('\n');
    const names = lines.map((line) => {
      const [sum, name = ''] = line.split('  ');
      expect(hash('sha256', fs.readFileSync(join(RELEASE, name))), name).toBe(sum);
      return name;
    });
    expect(names).toEqual(
      fs
        .readdirSync(RELEASE)
        .filter((name) => name !== 'SHA256SUMS')
        .sort(),
    );
    expect(names.filter((name) => /\.(tar\.xz|sbom\.cdx\.json|tgz)$/.test(name))).toHaveLength(3);
    if (process.platform === 'linux') expect(fs.statSync(artefact('.deb')).size).toBeLessThan(DEB_MAX_BYTES);
  });
});

const INSTALLS = [
  ['the .deb, by dpkg', installDeb],
  ['the archive, by install.sh', installArchive],
] as const;

describe.skipIf(!IS_WANTED || !CAN_CHANGE_ROOT)(
  'in an empty root (skipped without RELEASE=1 or root)',
  () => {
    describe.each(INSTALLS)('%s', (_name, install) => {
      let here: ReturnType<typeof emptyRoot>;
      beforeAll(() => void (here = emptyRoot(install)), TIMEOUT_MS);
      afterAll(() => here.remove());

      it('says its version, and every page of help', () => {
        expect(here.run('--version')).toEqual({ code: 0, stdout: `svc ${VERSION}\n`, stderr: '' });
        expect(here.run('payins', 'create', '--help').stdout).toContain('svc payins create [flags]');
      });

      it('creates, filters with jq and reads', () => {
        const created = here.run(...payout('12345678', '20.00'), '--jq', '"\\(.status) \\(.amount)"');
        expect(created, created.stderr).toMatchObject({ code: 0, stdout: 'confirmed 20.00\n' });
        expect(here.run('events', 'list', '--all', '--jq', '.type').stdout).toContain('payout.confirmed\n');
      });

      it('examines itself, and the native part of the key store loads', () => {
        const { code, stdout } = here.run('doctor', '--json');
        expect(code).toBe(0);
        expect(JSON.parse(stdout)).toMatchObject({ checks: expect.any(Array) as unknown[] });
        const folder = join(here.path, HOME, '.cache/svc/native');
        expect(fs.readdirSync(folder).filter((name) => name.endsWith('.node'))).toHaveLength(1);
      });

      it('a batch that is killed goes on, and no reference is paid twice', async () => {
        const rows = people(3000);
        const own = ['document.type', 'document.number', 'bank_code', 'account_number'];
        const columns = ['reference', 'amount', ...own.map((name) => `beneficiary.${name}`)];
        fs.writeFileSync(join(here.path, 'tmp/pay.csv'), csv(rows, columns));
        const what = [
          ...['/tmp/pay.csv', '--batch', 'pay', '--country', 'VE', '--currency', 'VES'],
          ...['--method', 'mobile_payment'],
        ];
        const paid = (): string[] => {
          const program = 'select(.type == "payout.confirmed" and .data.reference != null) | .data.reference';
          return here.run('events', 'list', '--all', '--jq', program).stdout.trimEnd().split('\n');
        };
        const child = here.start('payouts', 'batch', ...what, '--rate', '200/s');
        const ended = new Promise((resolve) => child.once('exit', (_code, signal) => resolve(signal)));
        await expect.poll(() => paid().length, { timeout: 60_000, interval: 200 }).toBeGreaterThan(50);
        child.kill('SIGKILL');
        expect(await ended).toBe('SIGKILL');
        expect(paid().length).toBeLessThan(rows.length);
        const { code, stderr } = here.run('batches', 'resume', 'pay', '--rate', '2000/s');
        expect(code, stderr).toBe(0);
        const references = paid();
        expect(references).toHaveLength(rows.length);
        expect(new Set(references).size).toBe(rows.length);
      });

      it('asks for a pay-in at a terminal, up to the outcome', async () => {
        const run = openTerminal(['payins', 'create', '--country', 'VE', '--method', 'debit_otp'], {
          ...{ home: HOME, program: here.program, env: { PATH: process.env['PATH'] ?? '' } },
        });
        await run.shows(/Amount in VES/);
        await run.go('10.50', /10\.50_ ok/);
        await run.go(KEYS.enter, /Document type/);
        await run.go(KEYS.enter, /Document number/);
        await run.go('12345678', /12345678_ ok/);
        await run.go(KEYS.enter, /Banesco/);
        await run.go('mercan', /> 0105/);
        await run.go(KEYS.enter, /Phone/);
        await run.go('04121234567', /ok/);
        await run.go(KEYS.enter, /Collect[^]*Esc: leave/);
        await run.go(KEYS.enter, /left/);
        await run.go('123456', /Code: 123456_/);
        await run.go(KEYS.enter, /Confirmed: 10\.50 VES/);
        expect(await run.ended).toBe(0);
      });

      it('serves the sandbox to others', async () => {
        const port = String(await freePort());
        const child = here.start('sandbox', 'start', '--port', port, '--json');
        const { api_key: key } = JSON.parse(await firstLine(child)) as { api_key: string };
        const answer = await fetch(`http://127.0.0.1:${port}/sandbox/v2/balances`, {
          headers: { authorization: `Bearer ${key}` },
        });
        expect(await answer.json()).toHaveProperty('balances');
        const ended = new Promise((resolve) => child.once('exit', resolve));
        child.kill('SIGINT');
        expect(await ended).toBe(130);
      });
    });
  },
);

function artefact(end: string): string {
  const name = fs.readdirSync(RELEASE).find((file) => file.endsWith(end));
  expect(name, `${end} is not in release/: npm run release`).toBeDefined();
  return join(RELEASE, name ?? '');
}

function emptyRoot(install: (path: string) => string) {
  const path = fs.mkdtempSync(join(tmpdir(), 'svc-root-'));
  for (const folder of ['root', 'tmp', 'dev']) fs.mkdirSync(join(path, folder));
  const executable = install(path);
  const { stdout } = spawnSync('ldd', [join(path, executable)], { encoding: 'utf8' });
  for (const [library] of stdout.matchAll(/\/\S+\.so\S*/g)) {
    fs.mkdirSync(join(path, dirname(library)), { recursive: true });
    fs.cpSync(fs.realpathSync(library), join(path, library));
  }
  const program = ['chroot', path, executable] as const;
  return {
    path,
    program,
    run: (...args: string[]) => {
      const {
        status,
        stdout: out,
        stderr,
      } = spawnSync('chroot', [path, executable, ...args], { encoding: 'utf8', env: ENV, maxBuffer: 1e9 });
      return { code: status, stdout: out, stderr };
    },
    start: (...args: string[]) => spawn('chroot', [path, executable, ...args], { env: ENV }),
    remove: () => fs.rmSync(path, { recursive: true, force: true }),
  };
}

function installDeb(path: string): string {
  for (const folder of ['info', 'updates', 'triggers'])
    fs.mkdirSync(join(path, 'var/lib/dpkg', folder), { recursive: true });
  fs.writeFileSync(join(path, 'var/lib/dpkg/status'), '');
  const args = [`--root=${path}`, '--ignore-depends=libc6,libstdc++6', '-i', artefact('.deb')];
  const { status, stderr } = spawnSync('dpkg', args, { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  return '/usr/bin/svc';
}

function installArchive(path: string): string {
  const script = join(ROOT, 'packaging/install.sh');
  const args = [script, '--from', artefact('.tar.xz'), '--to', join(path, 'opt')];
  const { status, stderr } = spawnSync('sh', args, { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  expect(fs.existsSync(join(path, 'opt/svc'))).toBe(true);
  return '/opt/svc';
}
