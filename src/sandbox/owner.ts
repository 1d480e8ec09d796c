import { createHmac, timingSafeEqual } from 'node:crypto';
import { closeSync, fchmodSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { resolve } from 'node:path';
import { jsonIn } from '../contract/json.js';
import { onDisk } from '../runtime/folders.js';
import { readPrivate } from '../runtime/files.js';
import type { Random } from '../runtime/clock.js';
import { checkHost } from './http/access.js';
import { jsonAnswer, refusalAnswer, type SandboxAnswer, type SandboxRequest } from './message.js';

export interface Owner {
  readonly base_url: string;
  readonly pid: number;
  /** The server must prove to each command that it knows this value. */
  readonly secret: string;
  readonly api_key: string;
}

const PROBE_TIMEOUT_MS = 2000;
const SECRET_FORM = /^[0-9a-f]{64}$/;
const LOOPBACK_URL = /^http:\/\/127\.0\.0\.1:[0-9]{1,5}$/;

export const ownerFile = (store: string) => (store === ':memory:' ? null : `${resolve(store)}.server`);

export function writeOwner(store: string, owner: Owner): void {
  const file = ownerFile(store);
  if (file === null) return;
  onDisk('written', file, () => {
    const temporaryFile = `${file}.${owner.pid}.tmp`;
    rmSync(temporaryFile, { force: true });
    const descriptor = openSync(temporaryFile, 'wx', 0o600);
    fchmodSync(descriptor, 0o600);
    writeSync(descriptor, `${JSON.stringify(owner)}\n`);
    closeSync(descriptor);
    renameSync(temporaryFile, file);
  });
}

export const readAnnouncedUrl = (store: string): string | null => readOwner(store)?.base_url ?? null;

export function removeOwner(store: string, owner: Owner): void {
  const file = ownerFile(store);
  if (file === null) return;
  const { base_url: url, pid } = readOwner(store) ?? {};
  if (url === owner.base_url && pid === owner.pid)
    onDisk('written', file, () => rmSync(file, { force: true }));
}

export async function findOwner(store: string, random: Random): Promise<Owner | null> {
  const owner = readOwner(store);
  if (owner === null) return null;
  const socket = connect(portOf(owner), '127.0.0.1');
  return proveOwner(store, owner.base_url, socket, random)
    .then(
      () => owner,
      () => null,
    )
    .finally(() => socket.destroy());
}

/** Call it for every new connection, because another program may have taken the port. */
export async function proveOwner(store: string, origin: string, socket: Socket, random: Random) {
  const owner = readOwner(store);
  const nonce = random.hex(32);
  if (owner?.base_url === origin) {
    const request = `GET /_control/owner?nonce=${nonce} HTTP/1.1\r\nHost: 127.0.0.1:${portOf(owner)}\r\n\r\n`;
    const expectedProof = Buffer.from(computeProof(owner.secret, portOf(owner), nonce));
    const proof = Buffer.from(await readProof(socket, request));
    if (proof.length === expectedProof.length && timingSafeEqual(proof, expectedProof)) return;
  }
  throw new Error(`what answers at ${origin} is not the sandbox server of this user`);
}

const PROOF_MAX = 4096;
const PROOF_ANSWER = /^HTTP\/1\.1 200 [^]*\r\n\r\n\{"proof":"([0-9a-f]{64})"\}$/;
const END_EVENTS = ['end', 'error', 'close', 'timeout'] as const;

const readProof = (socket: Socket, request: string): Promise<string> =>
  new Promise((resolve) => {
    let text = '';
    const end = (): void => {
      socket.removeListener('readable', read).setTimeout(0);
      for (const name of END_EVENTS) socket.removeListener(name, end);
      resolve(PROOF_ANSWER.exec(text)?.[1] ?? '');
    };
    const read = (): void => {
      text += String(socket.read() ?? '');
      if (PROOF_ANSWER.test(text) || text.length > PROOF_MAX) end();
    };
    socket.on('readable', read).setTimeout(PROBE_TIMEOUT_MS).write(request);
    for (const name of END_EVENTS) socket.on(name, end);
  });

const portOf = ({ base_url: url }: Owner): number => Number(url.slice(url.lastIndexOf(':') + 1));

function readOwner(store: string): Owner | null {
  const file = ownerFile(store);
  const bytes = file === null ? null : readPrivate(file);
  const members: Partial<Record<keyof Owner, unknown>> = (bytes === null ? null : jsonIn(bytes)) ?? {};
  const { base_url: url, pid, secret, api_key: key } = members;
  if (typeof url !== 'string' || !LOOPBACK_URL.test(url) || typeof pid !== 'number') return null;
  if (typeof secret !== 'string' || !SECRET_FORM.test(secret) || typeof key !== 'string') return null;
  return { base_url: url, pid, secret, api_key: key };
}

const PROOF_TARGET = /^\/_control\/owner\?nonce=([0-9a-f]{64})$/;

/** The port is in the proof, so that a listener on another port cannot use the server's proof. */
const computeProof = (secret: string, port: number, nonce: string): string =>
  createHmac('sha256', secret).update(`svc sandbox owner\n${port}\n${nonce}`).digest('hex');

export function answerProof(request: SandboxRequest, secret: string, port: number): SandboxAnswer | null {
  const nonce = request.method === 'GET' ? PROOF_TARGET.exec(request.target)?.[1] : undefined;
  if (nonce === undefined) return null;
  const hostRefusal = checkHost(request);
  if (hostRefusal !== null) return refusalAnswer(hostRefusal);
  return jsonAnswer(200, JSON.stringify({ proof: computeProof(secret, port, nonce) }));
}
