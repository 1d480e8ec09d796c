import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import {
  canonicalOrigin,
  EMBEDDED_ORIGIN,
  type Environment,
  isApiKey,
  maskOf,
  readKeyText,
  showMask,
} from '../contract/access.js';
import type { Clock, Random } from '../runtime/clock.js';
import { shellPath, type Paths } from '../runtime/folders.js';
import { Failure } from '../runtime/failure.js';
import { readPrivate, writePrivate, withLock } from '../runtime/files.js';
import type { Ports } from '../runtime/ports.js';
import type { Session } from './session.js';

export interface ServiceAddress {
  readonly address: string;
  readonly environment: Environment;
}

export const EMBEDDED_ADDRESS: ServiceAddress = { address: EMBEDDED_ORIGIN, environment: 'sandbox' };

export function serviceAddressOf({ target, environment, serviceUrl }: Session): ServiceAddress {
  return target.kind === 'embedded' ? EMBEDDED_ADDRESS : { address: serviceUrl, environment };
}

export interface Sender extends ServiceAddress {
  readonly origin: string;
  readonly keyPrint: string;
}

export async function senderOf(
  session: Session,
  ports: Ports,
  salt: Uint8Array | null = null,
): Promise<Sender> {
  const serviceAddress = serviceAddressOf(session);
  const origin = canonicalOrigin(serviceAddress.address);
  return { ...serviceAddress, origin, keyPrint: hashKey(salt ?? (await saltOf(ports)), session.key) };
}

export function maskOfKey(text: string): string {
  const key = readKeyText(text);
  return isApiKey(key) ? showMask(maskOf(key)) : '';
}

export function isSameSender(
  one: Pick<Sender, 'origin' | 'keyPrint'>,
  other: Pick<Sender, 'origin' | 'keyPrint'>,
): boolean {
  return one.origin === other.origin && one.keyPrint === other.keyPrint;
}

const SALT_BYTES = 32;
const LOCK_WAIT_MS = 5000;

interface SaltPorts {
  readonly paths: Pick<Paths, 'state'>;
  readonly clock: Clock;
  readonly random: Pick<Random, 'hex'>;
}

export async function keyPrint(ports: SaltPorts, key: string): Promise<string> {
  return hashKey(await saltOf(ports), key);
}

function hashKey(salt: Uint8Array, key: string): string {
  return createHmac('sha256', salt).update(key).digest('base64url');
}

async function saltOf({ paths, clock, random }: SaltPorts): Promise<Buffer> {
  const path = join(paths.state, 'key-print.salt');
  const salt =
    readPrivate(path) ??
    (await withLock(join(paths.state, 'key-print.lock'), { clock, waitMs: LOCK_WAIT_MS }, () => {
      const existingSalt = readPrivate(path);
      if (existingSalt !== null) return existingSalt;
      const newSalt = Buffer.from(random.hex(SALT_BYTES), 'hex');
      writePrivate(path, newSalt);
      return newSalt;
    }));
  if (salt.length === SALT_BYTES) return salt;
  const message = `${path} is damaged. Nothing was sent. Delete it; svc then recognises each key again by its payments: rm ${shellPath(path)}`;
  throw new Failure('local_state', message);
}
