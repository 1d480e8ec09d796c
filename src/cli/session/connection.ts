/**
 * A way to a service: a transport, the key that goes with it, the proxy that the environment names (https goes through it, http never
 * does), and what it takes to end it.
 */
import { readFileSync } from 'node:fs';
import type { Proxy, UndiciOptions } from '../../client/undici.js';
import type { ServiceTarget } from '../../profile/target.js';
import { namedFileFailure } from '../../runtime/folders.js';
import { Failure } from '../../runtime/failure.js';
import { bufferedPipe } from '../../runtime/named-pipe.js';
import type { Ports } from '../../runtime/ports.js';
import type { Transport } from '../../runtime/transport.js';

export interface ServiceConnection {
  readonly transport: Transport;
  /** Scheme, host and port, and what stands before `/sandbox` and `/_control`. */
  readonly origin: string;
  /** What `/v2` is appended to. */
  readonly serviceUrl: string;
  readonly key: string;
  close(): Promise<void>;
}

/** A connection to a service over the network; nothing is sent yet. @throws Failure `usage` */
export async function connectTo(
  ports: Ports,
  target: ServiceTarget,
  caFile?: string,
  connections?: number,
): Promise<ServiceConnection> {
  const { serviceUrl, key, baseUrl: origin } = target;
  const isPlain = serviceUrl.startsWith('http:');
  // A named file that is not there is an error, wherever the request goes.
  if (isPlain && caFile !== undefined) readCertificates(caFile);
  const network = isPlain ? openLoopback(ports, connections) : openNetwork(ports, caFile, connections);
  return { ...(await network), origin, serviceUrl, key };
}

type Network = Pick<ServiceConnection, 'transport' | 'close'>;

/**
 * The transport over the network, with the machine's proxy settings; what a test passes instead where it does.
 * @param connections the most to one origin at a time; default 16
 * @throws Failure `usage` for certificates that can't be read, or a proxy that is none
 */
export async function openNetwork(ports: Ports, caFile?: string, connections?: number): Promise<Network> {
  const proxy = readProxy(ports.env);
  const ca = caFile === undefined ? undefined : readCertificates(caFile);
  return open(ports, { ca, proxy, ...(connections === undefined ? {} : { connections }) });
}

/** The same to this machine alone, whatever proxy is set: http never goes through one. */
export async function openLoopback(
  ports: Ports,
  connections?: number,
  prove?: UndiciOptions['prove'],
): Promise<Network> {
  return open(ports, { prove, ...(connections === undefined ? {} : { connections }) });
}

async function open(ports: Ports, options: Omit<UndiciOptions, 'clock'>): Promise<Network> {
  if (ports.transport !== undefined) return { transport: ports.transport, close: () => Promise.resolve() };
  const { createUndiciTransport } = await import('../../client/undici.js');
  const { send, close } = createUndiciTransport({ clock: ports.clock, ...options });
  return { transport: send, close };
}

/** @throws Failure `usage`, `local_state` */
export function readCertificates(path: string): string {
  let text: string;
  try {
    text = bufferedPipe(path)?.toString() ?? readFileSync(path, 'utf8');
  } catch (error) {
    const why = `--ca-file: svc cannot read ${path}. Nothing was sent.`;
    throw namedFileFailure(path, error, () => new Failure('usage', why, { cause: error }));
  }
  if (/-BEGIN (?:X509 |TRUSTED )?CERTIFICATE-/.test(text)) return text;
  throw new Failure('usage', `--ca-file: ${path} holds no PEM certificate. Nothing was sent.`);
}

/** Null where there is none. @throws Failure `usage` (`proxy_invalid`) naming the variable, and never its value */
export function readProxy(env: Ports['env']): Proxy | null {
  const name = env['https_proxy'] === undefined ? 'HTTPS_PROXY' : 'https_proxy';
  const https = env[name] ?? '';
  if (https === '') return null;
  if (!isProxy(https)) {
    throw new Failure(
      'usage',
      `${name} is not the address of a proxy. Write it as http://HOST:PORT; in a password, write % as %25. Nothing was sent.`,
      { code: 'proxy_invalid' },
    );
  }
  return { name, https, except: env['no_proxy'] ?? env['NO_PROXY'] ?? '' };
}

/** "proxy.corp:3128" is a URL too: one of the scheme "proxy.corp". */
function isProxy(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  const isHttp = (protocol === 'http:' || protocol === 'https:') && /^https?:\/\//i.test(text);
  return isHttp && hostname !== '' && isEncoded(username) && isEncoded(password);
}

/** A password may hold a "%" that stands for itself; what reads the address would end with an error of its own. */
function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
