/** A way to a service: a transport, the key that goes with it, and what it takes to end it. */
import { readFileSync } from 'node:fs';
import type { ServiceTarget } from '../../profile/target.js';
import { Failure } from '../../runtime/failure.js';
import type { Ports } from '../../runtime/ports.js';
import type { Transport } from '../../runtime/transport.js';

export interface Connection {
  readonly transport: Transport;
  /** Scheme, host and port, and what stands before `/sandbox` and `/_control`. */
  readonly origin: string;
  /** What `/v2` is appended to. */
  readonly serviceUrl: string;
  readonly key: string;
  close(): Promise<void>;
}

/** A connection to a service over the network; nothing is sent yet. @throws Failure `usage` */
export async function connect(
  ports: Ports,
  target: ServiceTarget,
  caFile?: string,
  connections?: number,
): Promise<Connection> {
  const { serviceUrl, key, baseUrl: origin } = target;
  return { ...(await openNetwork(ports, caFile, connections)), origin, serviceUrl, key };
}

/**
 * The transport over the network, with the machine's proxy settings; what a test passes instead where it does.
 * @param connections the most to one origin at a time; default 16
 * @throws Failure `usage` for certificates that can't be read
 */
export async function openNetwork(
  ports: Ports,
  caFile?: string,
  connections?: number,
): Promise<Pick<Connection, 'transport' | 'close'>> {
  if (ports.transport !== undefined) return { transport: ports.transport, close: () => Promise.resolve() };
  const { createUndiciTransport } = await import('../../client/undici.js');
  const env = (name: string): string => ports.env[name.toLowerCase()] ?? ports.env[name] ?? '';
  const { send, close } = createUndiciTransport({
    clock: ports.clock,
    ca: caFile === undefined ? undefined : readCertificates(caFile),
    ...(connections === undefined ? {} : { connections }),
    proxy: env('HTTPS_PROXY') === '' ? null : { https: env('HTTPS_PROXY'), except: env('NO_PROXY') },
  });
  return { transport: send, close };
}

function readCertificates(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Failure('usage', '--ca-file names a file that cannot be read. Nothing was sent.', {
      cause: error,
    });
  }
}
