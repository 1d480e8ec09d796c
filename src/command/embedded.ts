/** The embedded sandbox as a command reaches it: in the process, over a file in the user's data folder. */
import { join } from 'node:path';
import { ENVIRONMENT_PATH } from '../contract/access.js';
import { ensurePrivateFolder } from '../runtime/folders.js';
import type { Ports } from '../runtime/ports.js';
import type { Connection } from './connection.js';

/** What stands for the address where nothing listens. */
const ORIGIN = 'http://localhost';

/** Where the store is, unless a command says otherwise. */
export function defaultStore(ports: Ports): string {
  return join(ports.paths.data, 'sandbox.db');
}

/** A connection without a network. @throws Failure `local_state` where the store can't be used */
export async function openEmbedded(ports: Ports): Promise<Connection> {
  const { openSandbox } = await import('../sandbox/sandbox.js');
  const { sandboxTransport } = await import('../sandbox/transport.js');
  ensurePrivateFolder(ports.paths.data);
  const { clock, random } = ports;
  const sandbox = openSandbox({ store: defaultStore(ports), clock, random });
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
