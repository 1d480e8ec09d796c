/** Which server owns a store: its address stands beside the file, so that commands go through it instead of around it. */
import { closeSync, fchmodSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { onDisk } from '../runtime/disk.js';
import { readPrivate } from '../runtime/files.js';
import { NotAnswered, type Transport } from '../runtime/transport.js';

export interface Owner {
  /** `http://127.0.0.1:PORT` */
  readonly base_url: string;
  readonly pid: number;
  /** The store's own name, so that another sandbox on the same port is not taken for this one. */
  readonly store_id: string;
  /** The key of company `default`, so that a command need not open the file for it. */
  readonly api_key: string;
}

const PROBE_TIMEOUT_MS = 2000;
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

/** Removes the address, unless another server has put its own there since. @throws Failure `local_state` */
export function withdraw(store: string, owner: Owner): void {
  const file = ownerFile(store);
  if (file === null) return;
  const { base_url: url, pid } = readOwner(file) ?? {};
  if (url === owner.base_url && pid === owner.pid)
    onDisk('written', file, () => rmSync(file, { force: true }));
}

/**
 * The server that owns the store now, or null: none has announced itself, or the one that did is gone (killed, or its port is
 * somebody else's by now).
 * @throws Failure `local_state` where the file could have been written by another user
 */
export async function findOwner(store: string, transport: Transport): Promise<Owner | null> {
  const file = ownerFile(store);
  const owner = file === null ? null : readOwner(file);
  if (owner === null) return null;
  const request = {
    method: 'GET',
    url: `${owner.base_url}/_control/status`,
    headers: { accept: 'application/json' },
    body: null,
  };
  try {
    const { status, body } = await transport(request, { timeoutMs: PROBE_TIMEOUT_MS });
    const answer = status === 200 ? parse(Buffer.from(body)) : null;
    return answer?.['store_id'] === owner.store_id ? owner : null;
  } catch (error) {
    if (error instanceof NotAnswered) return null;
    throw error;
  }
}

function readOwner(file: string): Owner | null {
  const bytes = readPrivate(file);
  const { base_url: url, pid, store_id: id, api_key: key } = (bytes === null ? null : parse(bytes)) ?? {};
  if (typeof url !== 'string' || !LOOPBACK.test(url) || typeof pid !== 'number') return null;
  if (typeof id !== 'string' || typeof key !== 'string') return null;
  return { base_url: url, pid, store_id: id, api_key: key };
}

function parse(bytes: Buffer): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
