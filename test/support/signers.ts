/** The keys and signatures are real: `ssh-keygen` makes them. */
import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NAMESPACES } from '../../src/batches/approval/signature.js';
import type { Machine } from '../../src/runtime/ports.js';
import { BARE_MACHINE, machineWith } from './machine.js';

export const KEYGEN = '/usr/bin/ssh-keygen';
/** Tests that need `ssh-keygen` are skipped without it. */
export const HAS_KEYGEN = existsSync(KEYGEN);

const APPROVES = `namespaces="${NAMESPACES.approver}"`;
const MAKES = `namespaces="${NAMESPACES.maker}"`;
const BOTH = `namespaces="${NAMESPACES.maker},${NAMESPACES.approver}"`;

const LINES: readonly (readonly [names: string, options: string, key: string])[] = [
  ['ana@example.com', BOTH, 'ana'],
  ['ana@example.com', APPROVES, 'ana2'],
  ['bob@example.com', APPROVES, 'bob'],
  ['carla@example.com', APPROVES, 'carla'],
  ['dora@example.com', APPROVES, 'dora'],
  ['eva@example.com', APPROVES, 'eva'],
  ['maker@example.com', BOTH, 'maker'],
  ['maker@example.com', APPROVES, 'maker2'],
  ['MAKER@example.com', APPROVES, 'maker3'],
  ['bot@example.com', MAKES, 'bot'],
  ['old@example.com', `${APPROVES},valid-before="20260101Z"`, 'old'],
  ['young@example.com', `${APPROVES},valid-after="20270601Z"`, 'young'],
  ['s1@example.com', APPROVES, 'shared'],
  ['s2@example.com', APPROVES, 'shared'],
  ['s2@example.com', APPROVES, 'shared2'],
  ['s2@example.com', MAKES, 's3'],
  ['*@example.com', APPROVES, 'wild'],
  ['x1@example.com,x2@example.com', APPROVES, 'wide'],
  ['*@example.com', `cert-authority,${APPROVES}`, 'ca'],
];
const STRANGERS = ['evil', 'hugo'] as const;
const CERTIFIED: readonly (readonly [name: string, ...args: string[]])[] = [
  ['hugo-as-hugo', '-V', '20250101:20400101', '-n', 'hugo@example.com'],
  ['hugo-as-iris', '-V', '20250101:20400101', '-n', 'iris@example.com'],
  ['hugo-over', '-V', '20200101:20210101', '-n', 'joan@example.com'],
  ['hugo-nameless', '-V', '20250101:20400101'],
];

export type People = ReturnType<typeof people>;

export function people() {
  const folder = mkdtempSync(join(tmpdir(), 'svc-people-'));
  const path = (name: string): string => join(folder, name);
  const keygen = (args: readonly string[], input?: Uint8Array): Buffer => {
    const { status, stdout, stderr } = spawnSync(KEYGEN, args, {
      input,
      env: { PATH: '/usr/bin:/bin', TZ: 'UTC' },
    });
    if (status !== 0) throw new Error(`ssh-keygen ${args.join(' ')}: ${stderr.toString()}`);
    return stdout;
  };
  const kinds: Readonly<Record<string, readonly string[]>> = {
    dora: ['ecdsa', '-b', '256'],
    eva: ['rsa', '-b', '2048'],
  };
  for (const name of new Set([...LINES.map(([, , key]) => key), ...STRANGERS]))
    keygen(['-q', '-t', ...(kinds[name] ?? ['ed25519']), '-N', '', '-C', '', '-f', path(name)]);
  for (const [name, ...args] of CERTIFIED) {
    copyFileSync(path('hugo'), path(name));
    copyFileSync(path('hugo.pub'), path(`${name}.pub`));
    keygen(['-q', '-s', path('ca'), '-I', name, ...args, path(`${name}.pub`)]);
  }
  const signed = new Map<string, Buffer>();
  const publicKey = (name: string): string =>
    readFileSync(path(`${name}.pub`), 'utf8')
      .split(' ')
      .slice(0, 2)
      .join(' ')
      .trim();
  const list = Buffer.from(
    LINES.map(([names, options, key]) => `${names} ${options} ${publicKey(key)}\n`).join(''),
  );
  return {
    ...{ folder, list, key: path, publicKey },
    fingerprint: (key: string) =>
      keygen(['-l', '-f', path(`${key}.pub`)])
        .toString()
        .split(' ')[1] ?? '',
    sign(bytes: Uint8Array, key: string, namespace: string = NAMESPACES.approver) {
      const name = [key, namespace, hash('sha256', bytes)].join(' ');
      const made = signed.get(name);
      if (made !== undefined) return made;
      const file = existsSync(path(`${key}-cert.pub`)) ? path(`${key}-cert.pub`) : path(key);
      const signature = keygen(['-q', '-Y', 'sign', '-f', file, '-n', namespace], bytes);
      signed.set(name, signature);
      return signature;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export function falseKeygen(folder: string, script: string): string {
  const path = join(folder, 'ssh-keygen');
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return path;
}

export function keygenMachine(policy?: object, keygens: readonly string[] = [KEYGEN]): Machine {
  const { readTrusted, ...bare } = policy === undefined ? BARE_MACHINE : machineWith(() => policy);
  return {
    ...bare,
    keygens,
    readTrusted: (path, bounds) =>
      keygens.includes(path)
        ? { kind: 'bytes', bytes: new Uint8Array(), binds: true }
        : readTrusted(path, bounds),
  };
}
