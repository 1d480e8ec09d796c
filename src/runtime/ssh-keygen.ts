import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { onDisk } from './folders.js';
import { Failure } from './failure.js';
import { endOf } from './child.js';
import type { Environ, Machine } from './ports.js';

export type KeygenPlaces = Pick<Machine, 'keygens' | 'readTrusted'>;

export type KeygenSearch =
  | { readonly kind: 'found'; readonly path: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'untrusted'; readonly why: string };

const PROGRAM_MAX_BYTES = 16 * 1024 * 1024;

/** PATH is never searched, because anybody could put a program there that accepts every signature. */
export function findKeygen({ keygens, readTrusted }: KeygenPlaces): KeygenSearch {
  for (const path of keygens) {
    const program = readTrusted(path, { maxBytes: PROGRAM_MAX_BYTES });
    if (program.kind === 'bytes') return { kind: 'found', path };
    if (program.kind !== 'absent') return { kind: 'untrusted', why: program.why };
  }
  return { kind: 'missing' };
}

export interface KeygenEnd {
  readonly exitCode: number | null;
  readonly output: string;
  readonly errors: string;
}

const KEYGEN_LIMIT_MS = 10_000;
const OUTPUT_MAX_BYTES = 64 * 1024;
/** ssh-keygen gets only this environment, because no variable of the user may change its answer. */
const KEYGEN_ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

export interface KeygenRun {
  readonly input?: Uint8Array | number;
  readonly limitMs?: number;
}

export function runKeygen(
  path: string,
  args: readonly string[],
  { input = new Uint8Array(), limitMs = KEYGEN_LIMIT_MS }: KeygenRun = {},
): Promise<KeygenEnd> {
  return new Promise((resolve, reject) => {
    const child = spawn(path, args, {
      env: KEYGEN_ENVIRONMENT,
      cwd: '/',
      stdio: [typeof input === 'number' ? input : 'pipe', 'pipe', 'pipe'],
    });
    const { stdin, stdout, stderr } = child;
    const texts = { output: '', errors: '' };
    const end = (exitCode: number | null): void => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      for (const stream of [stdin, stdout, stderr]) stream?.destroy();
      resolve({ exitCode, ...texts });
    };
    const timer = setTimeout(() => end(null), limitMs);
    let byteCount = 0;
    const collect = (stream: Readable | null, name: keyof typeof texts): void => {
      stream?.on('data', (chunk: Buffer) => {
        byteCount += chunk.length;
        if (byteCount > OUTPUT_MAX_BYTES) end(null);
        else texts[name] += chunk.toString('utf8');
      });
    };
    collect(stdout, 'output');
    collect(stderr, 'errors');
    child.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.once('close', end);
    stdin?.on('error', () => undefined);
    stdin?.end(input);
  });
}

const SIGNING_VARIABLES = [
  'HOME',
  'TERM',
  'SSH_AUTH_SOCK',
  'SSH_ASKPASS',
  'SSH_ASKPASS_REQUIRE',
  'SSH_SK_PROVIDER',
  'SSH_SK_HELPER',
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XDG_RUNTIME_DIR',
  'XAUTHORITY',
] as const;

export interface KeygenSigning {
  readonly input: number;
  readonly env: Environ;
  readonly signal: AbortSignal;
  readonly isShown: boolean;
}

export async function signByKeygen(
  path: string,
  args: readonly string[],
  { input, env, signal, isShown }: KeygenSigning,
): Promise<KeygenEnd> {
  const userVariables = SIGNING_VARIABLES.flatMap((name) =>
    env[name] === undefined ? [] : [[name, env[name]] as const],
  );
  const child = spawn(path, args, {
    env: { ...KEYGEN_ENVIRONMENT, ...Object.fromEntries(userVariables) },
    stdio: [input, 'pipe', isShown ? 'inherit' : 'pipe'],
  });
  const texts = { output: '', errors: '' };
  const end = (): void => void child.kill('SIGTERM');
  signal.addEventListener('abort', end, { once: true });
  child.stdout?.on('data', (chunk: Buffer) => (texts.output += chunk.toString('utf8')));
  child.stderr?.on('data', (chunk: Buffer) => (texts.errors += chunk.toString('utf8')));
  const { exitCode } = await endOf(child, 'close').finally(() => signal.removeEventListener('abort', end));
  return { exitCode, ...texts };
}

const PROBE_SIGNERS =
  'probe namespaces="svc-probe",valid-before="20200101Z" ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDZDNwpMvchLRUg9k+zHOfCHEGHw+fUo/iNTrrYaWLB2\n';
const PROBE_SIGNATURE = `-----BEGIN SSH SIGNATURE-----
U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAgNkM3Cky9yEtFSD2T7Mc58IcQYf
D59Sj+I1OuthpYsHYAAAAJc3ZjLXByb2JlAAAAAAAAAAZzaGE1MTIAAABTAAAAC3NzaC1l
ZDI1NTE5AAAAQOVaXfYGiD+RAOy4I/JYfoYzt5xq/gN7kMVUMWRhbp0pz1ygFXytgoneIt
G/44N2QQz6q2H5ZqmmsdoM0ihmzwo=
-----END SSH SIGNATURE-----
`;
const PROBE_TIME = '20190101000000Z';

export async function requireKeygen(
  places: KeygenPlaces,
  folder: string,
  run: KeygenRun = {},
): Promise<string> {
  const keygen = findKeygen(places);
  if (keygen.kind === 'untrusted')
    throw new Failure(
      'unsafe',
      `The ssh-keygen of this machine can't be believed: ${keygen.why} Nothing was sent.`,
      { code: 'keygen_untrusted' },
    );
  if (keygen.kind === 'missing') throw keygenFailure('There is no ssh-keygen on this machine');
  const files = { signers: join(folder, 'probe-signers'), signature: join(folder, 'probe.sig') };
  onDisk('written', folder, () => {
    writeFileSync(files.signers, PROBE_SIGNERS, { mode: 0o600 });
    writeFileSync(files.signature, PROBE_SIGNATURE, { mode: 0o600 });
  });
  const args = ['-Y', 'find-principals', '-f', files.signers, '-s', files.signature];
  const { exitCode, errors } = await runKeygen(keygen.path, [...args, `-Overify-time=${PROBE_TIME}`], {
    limitMs: run.limitMs ?? KEYGEN_LIMIT_MS,
  }).catch(() => {
    throw keygenFailure('The ssh-keygen of this machine cannot be started');
  });
  if (exitCode === null) throw keygenFailure('The ssh-keygen of this machine did not end');
  if (exitCode !== 0) throw unusableKeygenFailure(errors);
  return keygen.path;
}

const NO_USER_TEXT = /^No user exists for uid ([0-9]+)/m;
const ERROR_TEXT_MAX = 200;

function unusableKeygenFailure(errors: string): Failure {
  const uid = NO_USER_TEXT.exec(errors)?.[1];
  if (uid !== undefined)
    return new Failure(
      'local_state',
      `ssh-keygen does not run for user id ${uid}: /etc/passwd does not have it. Nothing was sent.`,
      {
        code: 'keygen_missing',
        advice: ['Add that user to /etc/passwd, or run svc as a user who stands there.'],
      },
    );
  const [line = ''] = errors.trim().split('\n', 1);
  const quotedError = line === '' ? '' : `: it says "${line.slice(0, ERROR_TEXT_MAX)}"`;
  return keygenFailure(`The ssh-keygen of this machine may be too old${quotedError}`);
}

function keygenFailure(what: string): Failure {
  return new Failure(
    'local_state',
    `${what}. svc needs that of OpenSSH 8.8 or newer to check signatures. Nothing was sent.`,
    {
      code: 'keygen_missing',
      advice: [
        'Install it: openssh-client (Debian, Ubuntu), openssh-clients (Red Hat), openssh-keygen (Alpine).',
      ],
    },
  );
}
