import { readFileSync } from 'node:fs';
import type { Proxy, UndiciOptions } from '../client/undici.js';
import type { ServiceTarget } from './target.js';
import { namedFileFailure } from '../runtime/folders.js';
import { Failure, usageFailure } from '../runtime/failure.js';
import { bufferedPipe } from '../runtime/named-pipe.js';
import type { Ports } from '../runtime/ports.js';
import type { Transport } from '../runtime/transport.js';

export interface ServiceConnection {
  readonly transport: Transport;
  readonly origin: string;
  readonly serviceUrl: string;
  readonly key: string;
  close(): Promise<void>;
}

export async function connectTo(
  ports: Ports,
  target: ServiceTarget,
  caFile?: string,
  connections?: number,
): Promise<ServiceConnection> {
  const { serviceUrl, key, baseUrl: origin } = target;
  const isPlain = serviceUrl.startsWith('http:');
  if (isPlain && caFile !== undefined) readCertificates(caFile);
  const network = isPlain ? openLoopback(ports, connections) : openNetwork(ports, caFile, connections);
  return { ...(await network), origin, serviceUrl, key };
}

type Network = Pick<ServiceConnection, 'transport' | 'close'>;

export async function openNetwork(ports: Ports, caFile?: string, connections?: number): Promise<Network> {
  const proxy = readProxy(ports.env);
  const ca = caFile === undefined ? undefined : readCertificates(caFile);
  return openTransport(ports, { ca, proxy, connections });
}

export async function openLoopback(
  ports: Ports,
  connections?: number,
  verifyPeer?: UndiciOptions['verifyPeer'],
): Promise<Network> {
  return openTransport(ports, { verifyPeer, connections });
}

async function openTransport(ports: Ports, options: Omit<UndiciOptions, 'clock'>): Promise<Network> {
  if (ports.transport !== undefined) return { transport: ports.transport, close: () => Promise.resolve() };
  const { createUndiciTransport } = await import('../client/undici.js');
  const { send, close } = createUndiciTransport({ clock: ports.clock, ...options });
  return { transport: send, close };
}

export function readCertificates(path: string): string {
  let text: string;
  try {
    text = bufferedPipe(path)?.toString() ?? readFileSync(path, 'utf8');
  } catch (error) {
    const why = `--ca-file: svc cannot read ${path}. Nothing was sent.`;
    throw namedFileFailure(path, error, () => new Failure('usage', why, { cause: error }));
  }
  if (/-BEGIN (?:X509 |TRUSTED )?CERTIFICATE-/.test(text)) return text;
  throw usageFailure(`--ca-file: ${path} holds no PEM certificate.`);
}

/** The failure does not show the value of the variable, because it may hold a password. */
export function readProxy(env: Ports['env']): Proxy | null {
  const name = env['https_proxy'] === undefined ? 'HTTPS_PROXY' : 'https_proxy';
  const https = env[name] ?? '';
  if (https === '') return null;
  if (!isProxy(https)) {
    const message = `${name} is not the address of a proxy. Write it as http://HOST:PORT; in a password, write % as %25. Nothing was sent.`;
    throw new Failure('usage', message, { code: 'proxy_invalid' });
  }
  return { name, https, except: env['no_proxy'] ?? env['NO_PROXY'] ?? '' };
}

/** The text is tested too, because `URL` adds the `//` that `http:proxy.corp` lacks. */
function isProxy(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  const isHttp = (protocol === 'http:' || protocol === 'https:') && /^https?:\/\//i.test(text);
  return isHttp && hostname !== '' && isEncoded(username) && isEncoded(password);
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
