import { ENVIRONMENT_PATH } from '../../contract/access.js';
import { LOCK_VARIABLE } from '../../session/guard/lock.js';
import type { Environ, Ports } from '../../runtime/ports.js';
import type { Transport } from '../../runtime/transport.js';
import type { KeysOfRefused } from '../../contract/sandbox-code.js';
import type { Interposer } from '../interposer.js';
import type { Sandbox, SandboxOptions } from '../sandbox.js';
import type { ServeOptions } from '../server.js';

export interface CommandSandboxSettings extends Pick<SandboxOptions, 'nowMs' | 'ids'> {
  readonly code: string;
  readonly settleAfterSeconds: number;
  readonly keysOfRefused?: KeysOfRefused;
  readonly isLive: boolean;
}

export type CommandSandbox = Awaited<ReturnType<typeof openCommandSandbox>>;

export async function openCommandSandbox(
  ports: Pick<Ports, 'clock' | 'random' | 'errors'>,
  settings: CommandSandboxSettings,
  receivers: Transport,
  parts: Pick<ServeOptions, 'page'> & { interposerOf?: (sandbox: Sandbox) => Interposer } = {},
) {
  const { openSandbox } = await import('../sandbox.js');
  const { serve } = await import('../server.js');
  const { clock, random } = ports;
  const { page, interposerOf } = parts;
  const sandbox = openSandbox({ ...settings, store: ':memory:', clock, random, allowHttpWebhooks: true });
  const onDefect = ({ message }: Error): void =>
    void ports.errors.write(`The sandbox failed: ${message}\n`).catch(() => undefined);
  const server = await serve(sandbox, {
    ...{ port: 0, clock, receivers, onDefect },
    ...(page === undefined ? {} : { page }),
    ...(interposerOf === undefined ? {} : { interposer: interposerOf(sandbox) }),
  });
  return {
    port: server.port,
    sandbox,
    get apiKey() {
      return sandbox.apiKey;
    },
    get variables() {
      return variablesOf(server.port, sandbox.apiKey, settings.isLive);
    },
    async close(): Promise<void> {
      await server.close();
      sandbox.close();
    },
  };
}

/** `LOCK_VARIABLE` stays, because the lock limits which live requests a program may send. */
export const withoutSvcVariables = (env: Environ): Environ =>
  Object.fromEntries(
    Object.entries(env).filter(([name]) => !name.startsWith('SVC_') || name === LOCK_VARIABLE),
  );

export function variablesOf(port: number, apiKey: string, isLive: boolean): Environ {
  const baseUrl = `http://127.0.0.1:${String(port)}`;
  return {
    SVC_BASE_URL: baseUrl,
    SVC_API_KEY: apiKey,
    SVC_SANDBOX_URL: baseUrl + ENVIRONMENT_PATH.sandbox,
    SVC_CONTROL_URL: `${baseUrl}/_control`,
    ...(isLive ? { SVC_ENV: 'live', SVC_INSECURE_LOOPBACK: '1' } : {}),
  };
}
