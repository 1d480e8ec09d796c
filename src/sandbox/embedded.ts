import { existsSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { ENVIRONMENT_PATH } from '../contract/access.js';
import { DatabaseUnusable, type DatabaseProblem } from '../runtime/database-unusable.js';
import { Failure } from '../runtime/failure.js';
import { ensurePrivateFolder } from '../runtime/folders.js';
import type { Ports } from '../runtime/ports.js';
import type { Sandbox, SandboxOptions } from './sandbox.js';
import { type ServiceConnection, openLoopback } from '../session/connection.js';

/** Nothing listens there: the sandbox is in this process. */
export const IN_PROCESS_ORIGIN = 'http://localhost';

const RESETTABLE_PROBLEMS: readonly DatabaseProblem[] = ['newer', 'older', 'damaged'];

export const defaultStore = (ports: Ports): string => join(ports.paths.data, 'sandbox.db');

export async function openEmbedded(
  ports: Ports,
  openStore: (options: SandboxOptions) => Sandbox | Promise<Sandbox> = openWithResetHint,
): Promise<ServiceConnection> {
  ensurePrivateFolder(ports.paths.data);
  const store = defaultStore(ports);
  const { clock, random } = ports;
  if (existsSync(`${store}.server`)) {
    const { findOwner, proveOwner } = await import('./owner.js');
    const owner = await findOwner(store, random);
    if (owner !== null) {
      const { base_url: origin, api_key: key } = owner;
      const prove = (socket: Socket): Promise<void> => proveOwner(store, origin, socket, random);
      const network = await openLoopback(ports, undefined, prove);
      return { ...network, origin, serviceUrl: origin + ENVIRONMENT_PATH.sandbox, key };
    }
  }
  const { sandboxTransport } = await import('./sandbox.js');
  const sandbox = await openStore({ store, clock, random });
  return {
    transport: sandboxTransport(sandbox, clock),
    origin: IN_PROCESS_ORIGIN,
    serviceUrl: IN_PROCESS_ORIGIN + ENVIRONMENT_PATH.sandbox,
    key: sandbox.apiKey,
    close: () => {
      sandbox.close();
      return Promise.resolve();
    },
  };
}

export async function openWithResetHint(options: SandboxOptions): Promise<Sandbox> {
  const { openSandbox } = await import('./sandbox.js');
  try {
    return openSandbox(options);
  } catch (error) {
    if (!(error instanceof DatabaseUnusable) || !RESETTABLE_PROBLEMS.includes(error.problem)) throw error;
    const text = `${error.head} "svc sandbox reset" replaces it with an empty one.`;
    throw new Failure(error.kind, text, { ...error.facts, nextCommand: 'svc sandbox reset', cause: error });
  }
}
