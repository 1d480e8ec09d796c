/** The way to a receiver of deliveries: an address that was checked, reached without a proxy and without redirects. */
import type { Ports } from '../../runtime/ports.js';
import { systemNames } from '../../runtime/network.js';
import { VERSION } from '../../runtime/version.js';
import { readDestination } from '../../webhook/destination.js';
import type { Receiver } from '../../webhook/sending.js';

export interface OpenReceiver extends Receiver {
  close(): Promise<void>;
}

/** @throws Failure `usage`, `unsafe` or `network` for a url that nothing may be delivered to */
export async function openReceiver(ports: Ports, to: string, allowsRemote: boolean): Promise<OpenReceiver> {
  const { url, addressesOf } = await readDestination(to, allowsRemote, systemNames);
  const { clock, signal } = ports;
  const { transport, close } = await openTransport(ports, addressesOf);
  return { url, transport, clock, signal, userAgent: `svc/${VERSION}`, close };
}

async function openTransport(ports: Ports, addressesOf: (name: string) => Promise<readonly string[]>) {
  if (ports.transport !== undefined) {
    return { transport: ports.transport, close: (): Promise<void> => Promise.resolve() };
  }
  const { createUndiciTransport } = await import('../../client/undici.js');
  const { send, close } = createUndiciTransport({
    clock: ports.clock,
    resolveName: addressesOf,
    connections: 1,
  });
  return { transport: send, close };
}
