import type { Ports } from '../../runtime/ports.js';
import { resolveSystemName } from '../../runtime/network.js';
import { VERSION } from '../../runtime/version.js';
import { readDestination } from './destination.js';
import type { Receiver } from './deliver.js';
import { join } from 'node:path';
import { readPrivate, writePrivate, withLock } from '../../runtime/files.js';

export async function openReceiver(
  ports: Ports,
  targetUrl: string,
  allowsRemote: boolean,
  poolOptions: { readonly connections?: number; readonly keepsConnections?: boolean } = {},
): Promise<Receiver & { close(): Promise<void> }> {
  const { url, addressesOf } = await readDestination(targetUrl, allowsRemote, resolveSystemName);
  const { clock, signal } = ports;
  const receiver = { url, clock, signal, userAgent: `svc/${VERSION}` };
  if (ports.transport !== undefined)
    return { ...receiver, transport: ports.transport, close: () => Promise.resolve() };
  const { createUndiciTransport } = await import('../../client/undici.js');
  const transportOptions = { clock, resolveName: addressesOf, connections: 1, ...poolOptions };
  const { send, close } = createUndiciTransport(transportOptions);
  return { ...receiver, transport: send, close };
}

const SECRET_BYTES = 24;
const LOCK_WAIT_MS = 5000;

export async function forwardingSecret({ paths, clock, random }: Ports): Promise<string> {
  const file = join(paths.config, 'forwarding-secret');
  const storedSecret = readSecret(file);
  if (storedSecret !== null) return storedSecret;
  return withLock(`${file}.lock`, { clock, waitMs: LOCK_WAIT_MS }, () => {
    const secret = readSecret(file) ?? `whsec_${random.hex(SECRET_BYTES)}`;
    writePrivate(file, `${secret}\n`);
    return secret;
  });
}

function readSecret(file: string): string | null {
  const text = readPrivate(file)?.toString('utf8').trim() ?? '';
  return /^whsec_[0-9a-f]{48}$/.test(text) ? text : null;
}
