/** The embedded sandbox as a command reaches it: over a file in the user's data folder, or through the server that owns that. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ENVIRONMENT_PATH } from '../../contract/access.js';
import { ensurePrivateFolder } from '../../runtime/folders.js';
import type { Ports } from '../../runtime/ports.js';
import { openNetwork, type Connection } from './connection.js';

/** What stands for the address where nothing listens. */
const ORIGIN = 'http://localhost';

/** Where the store is, unless a command says otherwise. */
export function defaultStore(ports: Ports): string {
  return join(ports.paths.data, 'sandbox.db');
}

/**
 * A connection to the default store: through the server that owns it, else in the process, without a network.
 * @throws Failure `local_state` where the store can't be used
 */
export async function openEmbedded(ports: Ports): Promise<Connection> {
  ensurePrivateFolder(ports.paths.data);
  const store = defaultStore(ports);
  return (await openOwned(ports, store)) ?? openInProcess(ports, store);
}

/** Null where no server owns the store: nothing of the network is even loaded then, unless one left its address behind. */
async function openOwned(ports: Ports, store: string): Promise<Connection | null> {
  if (!existsSync(`${store}.server`)) return null;
  const { findOwner } = await import('../../sandbox/owner.js');
  const network = await openNetwork(ports);
  const owner = await findOwner(store, network.transport);
  if (owner !== null) {
    const { base_url: origin, api_key: key } = owner;
    return { ...network, origin, serviceUrl: origin + ENVIRONMENT_PATH.sandbox, key };
  }
  await network.close();
  return null;
}

async function openInProcess({ clock, random }: Ports, store: string): Promise<Connection> {
  const { openSandbox } = await import('../../sandbox/sandbox.js');
  const { sandboxTransport } = await import('../../sandbox/transport.js');
  const sandbox = openSandbox({ store, clock, random });
  return {
    transport: sandboxTransport(sandbox, clock),
    origin: ORIGIN,
    serviceUrl: ORIGIN + ENVIRONMENT_PATH.sandbox,
    key: sandbox.apiKey,
    close: () => {
      sandbox.close();
      return Promise.resolve();
    },
  };
}
