/** Runs the command of `svc sandbox exec` beside a sandbox of its own, with a temporary folder for the stores of `svc`. */
import { ENVIRONMENT_PATH } from '../../contract/access.js';
import { errorCode } from '../../runtime/folders.js';
import { Failure, ProgramEnded } from '../../runtime/failure.js';
import type { Environ, Ports } from '../../runtime/ports.js';
import type { Handler } from '../../sandbox/message.js';
import { openNetwork } from '../../cli/session/connection.js';
import { readStateFile, seed } from './keeping.js';
import { readSettings, type TypedSettings } from './settings.js';

type ExecFlags = TypedSettings & { readonly live: boolean; readonly seed?: string | undefined };

/**
 * Ends as the command ends, and leaves nothing behind.
 * @throws Failure `usage` for a flag, `bad_file` for a seed; ProgramEnded where that is no success; Failure `command_missing` or `command_unusable` where nothing was run, `local_state`
 * where there is no room for what `svc` keeps
 */
export async function runBesideSandbox(
  ports: Ports,
  command: readonly string[],
  flags: ExecFlags,
): Promise<void> {
  const settings = readSettings(flags);
  const state = flags.seed === undefined ? null : await readStateFile(ports, flags.seed);
  const { makeTemporaryFolder } = await import('../../runtime/temporary-folder.js');
  const folder = makeTemporaryFolder('svc-beside-', ports.random);
  let exitCode: number;
  try {
    exitCode = await exitCodeBeside(
      ports,
      command,
      { SVC_HOME: folder.path },
      { ...settings, isLive: flags.live, state },
    );
  } finally {
    folder.remove();
  }
  if (exitCode !== 0) throw new ProgramEnded(exitCode);
}

/** @param own what the command gets beside the way to the sandbox */
async function exitCodeBeside(
  ports: Ports,
  command: readonly string[],
  own: Environ,
  {
    isLive,
    state,
    ...settings
  }: ReturnType<typeof readSettings> & {
    readonly isLive: boolean;
    readonly state: Uint8Array | null;
  },
): Promise<number> {
  const { openSandbox } = await import('../../sandbox/sandbox.js');
  const { serve } = await import('../../sandbox/server.js');
  const { UNDER_WAY_MAX } = await import('../../sandbox/delivery/attempt.js');
  const { runProgram, shellCode } = await import('../../runtime/child.js');
  const { clock, random, signal } = ports;
  const network = await openNetwork(ports, undefined, UNDER_WAY_MAX);
  const sandbox = openSandbox({
    ...settings,
    ...{ store: ':memory:', clock, random, allowHttpWebhooks: true },
  });
  if (state !== null) seed(sandbox, state);
  const onDefect = ({ message }: Error): void =>
    void ports.errors.write(`The sandbox failed: ${message}\n`).catch(() => undefined);
  const server = await serve(sandbox, { port: 0, clock, receivers: network.transport, onDefect });
  const env = {
    ...withoutOwn(ports.env),
    ...own,
    ...variablesOf(server.port, isLive ? liveKey(sandbox) : sandbox.apiKey, isLive),
  };
  try {
    return shellCode(await runProgram(command, { env, signal }));
  } catch (error) {
    throw notRun(error, command[0] ?? '');
  } finally {
    await server.close();
    await network.close();
    sandbox.close();
  }
}

/** What was set for svc itself, the company's real key above all, is not for what runs beside a sandbox. */
function withoutOwn(env: Environ): Environ {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('SVC_')));
}

function variablesOf(port: number, apiKey: string, isLive: boolean): Environ {
  const baseUrl = `http://127.0.0.1:${String(port)}`;
  return {
    SVC_BASE_URL: baseUrl,
    SVC_API_KEY: apiKey,
    SVC_SANDBOX_URL: baseUrl + ENVIRONMENT_PATH.sandbox,
    SVC_CONTROL_URL: `${baseUrl}/_control`,
    ...(isLive ? { SVC_ENV: 'live', SVC_INSECURE_LOOPBACK: '1' } : {}),
  };
}

/** A live key of the company that the ready key belongs to. */
function liveKey({ handle }: { readonly handle: Handler }): string {
  const { body } = handle({
    method: 'POST',
    target: '/_control/keys',
    headers: [['host', 'localhost']],
    body: Buffer.from('{"environment":"live"}'),
  });
  return (JSON.parse(Buffer.from(body).toString('utf8')) as { api_key: string }).api_key;
}

/** As a shell has it: 127 where there is no such command, 126 where it is no program that may be started. */
function notRun(error: unknown, name: string): Failure {
  const code = errorCode(error) ?? '';
  const isMissing = ['ENOENT', 'ENOTDIR', 'ERR_INVALID_ARG_VALUE'].includes(code);
  return isMissing
    ? new Failure('command_missing', `The command "${name}" does not exist. Nothing was run.`, {
        cause: error,
      })
    : new Failure('command_unusable', `"${name}" could not be started (${code}). Nothing was run.`, {
        cause: error,
      });
}
