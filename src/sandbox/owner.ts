/** Which server owns a store. Its address is kept beside the file, so that commands go through it once it has proved its identity. */
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
  /** `http://127.0.0.1:PORT` */
  readonly base_url: string;
  readonly pid: number;
  /** Random, of this server alone: who can read this file asks for a proof of it before anything else is sent there. */
  readonly secret: string;
  /** The key of company `default`, so that a command need not open the file for it. */
  readonly api_key: string;
}

const PROBE_TIMEOUT_MS = 2000;
/** 32 random bytes. */
const SECRET = /^[0-9a-f]{64}$/;
const LOOPBACK = /^http:\/\/127\.0\.0\.1:[0-9]{1,5}$/;

/** Where the address stands; null for a store in memory, which nobody else can reach. */
export function ownerFile(store: string): string | null {
  return store === ':memory:' ? null : `${resolve(store)}.server`;
}

/**
 * Writes the address of a server that has begun to listen, 0600, whole or not at all; one that stands there is replaced.
 * @throws Failure `local_state`
 */
export function announce(store: string, owner: Owner): void {
  const file = ownerFile(store);
  if (file === null) return;
  onDisk('written', file, () => {
    const temporary = `${file}.${owner.pid}.tmp`;
    rmSync(temporary, { force: true });
    const descriptor = openSync(temporary, 'wx', 0o600);
    fchmodSync(descriptor, 0o600);
    writeSync(descriptor, `${JSON.stringify(owner)}\n`);
    closeSync(descriptor);
    renameSync(temporary, file);
  });
}

/** The address that a server has left beside the store, whether it still runs or not; null where there is none. @throws Failure `local_state` */
export function announcedAt(store: string): string | null {
  return readOwner(store)?.base_url ?? null;
}

/** Removes the address, unless another server has put its own there since. @throws Failure `local_state` */
export function withdraw(store: string, owner: Owner): void {
  const file = ownerFile(store);
  if (file === null) return;
  const { base_url: url, pid } = readOwner(store) ?? {};
  if (url === owner.base_url && pid === owner.pid)
    onDisk('written', file, () => rmSync(file, { force: true }));
}

/**
 * The server that owns the store now, or null: none has announced itself, or the one that did is gone (killed, and its port may be
 * anybody's by now).
 * @throws Failure `local_state` where the file could have been written by another user
 */
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

/**
 * Has the other end of a new connection prove that it is the server which owns the store by now: a server may have been started again, or ended, since
 * the one before.
 * @throws where it is anybody else, who was sent nothing but a random number
 */
export async function proveOwner(
  store: string,
  origin: string,
  socket: Socket,
  random: Random,
): Promise<void> {
  const owner = readOwner(store);
  const nonce = random.hex(32);
  if (owner?.base_url === origin) {
    const asked = `GET /_control/owner?nonce=${nonce} HTTP/1.1\r\nHost: 127.0.0.1:${portOf(owner)}\r\n\r\n`;
    if (isProof(await proofOver(socket, asked), owner.secret, portOf(owner), nonce)) return;
  }
  throw new Error(`what answers at ${origin} is not the sandbox server of this user`);
}

const PROOF_MAX = 4096;
const PROVED = /^HTTP\/1\.1 200 [^]*\r\n\r\n\{"proof":"([0-9a-f]{64})"\}$/;
const ENDS = ['end', 'error', 'close', 'timeout'] as const;

/** What stands for the proof in the first answer; undefined where none comes. */
function proofOver(socket: Socket, request: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    let text = '';
    const end = (): void => {
      socket.removeListener('readable', read).setTimeout(0);
      for (const name of ENDS) socket.removeListener(name, end);
      resolve(PROVED.exec(text)?.[1]);
    };
    const read = (): void => {
      text += String(socket.read() ?? '');
      if (PROVED.test(text) || text.length > PROOF_MAX) end();
    };
    socket.on('readable', read).setTimeout(PROBE_TIMEOUT_MS).write(request);
    for (const name of ENDS) socket.on(name, end);
  });
}

function portOf({ base_url: url }: Owner): number {
  return Number(url.slice(url.lastIndexOf(':') + 1));
}

function readOwner(store: string): Owner | null {
  const file = ownerFile(store);
  const bytes = file === null ? null : readPrivate(file);
  const said = (bytes === null ? null : jsonIn(bytes)) ?? {};
  const {
    base_url: url,
    pid,
    secret,
    api_key: key,
  } = said as Readonly<Partial<Record<keyof Owner, unknown>>>;
  if (typeof url !== 'string' || !LOOPBACK.test(url) || typeof pid !== 'number') return null;
  if (typeof secret !== 'string' || !SECRET.test(secret) || typeof key !== 'string') return null;
  return { base_url: url, pid, secret, api_key: key };
}

/** How a server proves it. Another program on its port, after it was killed, does not have the secret. */
const TARGET = /^\/_control\/owner\?nonce=([0-9a-f]{64})$/;

/** HMAC-SHA256 in hexadecimal. The port is part of it, so that a listener elsewhere can't have it made by the server. */
function proofOf(secret: string, port: number, nonce: string): string {
  return createHmac('sha256', secret).update(`svc sandbox owner\n${port}\n${nonce}`).digest('hex');
}

/** Whether `text` is that proof; compared without telling how much of it is right. */
function isProof(text: string | undefined, secret: string, port: number, nonce: string): boolean {
  const right = Buffer.from(proofOf(secret, port, nonce));
  const given = Buffer.from(text ?? '');
  return given.length === right.length && timingSafeEqual(given, right);
}

/** The answer to a request for the proof, which needs no store; null for every other request. */
export function answerProof(request: SandboxRequest, secret: string, port: number): SandboxAnswer | null {
  const nonce = request.method === 'GET' ? TARGET.exec(request.target)?.[1] : undefined;
  if (nonce === undefined) return null;
  const refused = checkHost(request);
  if (refused !== null) return refusalAnswer(refused);
  return jsonAnswer(200, JSON.stringify({ proof: proofOf(secret, port, nonce) }));
}
