import { readTraceparent } from '../client/request.js';
import { hasKeyPrefix } from '../contract/access.js';
import { systemClock } from '../runtime/clock.js';
import { type Environ, type Ports, SECRET_VARIABLES } from '../runtime/ports.js';

/** These variables are withheld, because a program of the user could tell systemd that svc is alive. */
const SYSTEMD_VARIABLES: readonly string[] = ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID'];

export function withoutSecrets(env: Environ): Environ {
  const secret = env['SVC_WEBHOOK_SECRET'];
  const hasSecret = (value: string): boolean =>
    hasKeyPrefix(value) ||
    /whsec_/i.test(value) ||
    (secret !== undefined && secret !== '' && value.includes(secret));
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name, value]) =>
        !SECRET_VARIABLES.includes(name) &&
        !SYSTEMD_VARIABLES.includes(name) &&
        value !== undefined &&
        !hasSecret(value) &&
        (name !== 'TRACEPARENT' || readTraceparent(value) !== undefined),
    ),
  );
}

const PROGRAM_LIMIT_MS = 10_000;
const TEXT_MAX_BYTES = 64 * 1024;
const ERROR_SHOWN_MAX = 200;

export async function askLine(
  ports: Ports,
  commandLine: string,
  extraEnv: Environ,
): Promise<{ readonly text: string } | { readonly problem: string }> {
  const { runProgram, shellCode } = await import('../runtime/child.js');
  const { signal } = ports;
  signal.throwIfAborted();
  const env = { ...withoutSecrets(ports.env), ...extraEnv };
  const [output, errors]: [Uint8Array[], Uint8Array[]] = [[], []];
  let byteCount = 0;
  const kill = new AbortController();
  const onOutput = (chunk: Uint8Array, stream: 'output' | 'errors'): void => {
    byteCount += chunk.byteLength;
    if (byteCount > TEXT_MAX_BYTES) kill.abort();
    else (stream === 'output' ? output : errors).push(chunk);
  };
  const endOfRun = new AbortController();
  const timeLimit = new AbortController();
  const stopLate = (): void => {
    timeLimit.abort();
    kill.abort();
  };
  // The real clock is used, because the program runs in real time.
  systemClock.sleep(PROGRAM_LIMIT_MS, endOfRun.signal).then(stopLate, () => undefined);
  // The last output is awaited, because a text without its end could mean something else.
  const options = { env, signal, kill: kill.signal, onOutput, outputWaitMs: PROGRAM_LIMIT_MS };
  const end = await runProgram(['/bin/sh', '-c', commandLine], options).finally(() => endOfRun.abort());
  signal.throwIfAborted();
  if (timeLimit.signal.aborted) return { problem: `did not end within ${String(PROGRAM_LIMIT_MS / 1000)} s` };
  if (byteCount > TEXT_MAX_BYTES) return { problem: 'printed more than 64 KB' };
  if (end.exitCode === 0) return { text: Buffer.concat(output).toString('utf8') };
  const lastLine = Buffer.concat(errors).toString('utf8').trim().split('\n').at(-1) ?? '';
  const errorText = lastLine === '' ? '' : `: ${lastLine.slice(0, ERROR_SHOWN_MAX)}`;
  return { problem: `ended with ${String(shellCode(end))}${errorText}` };
}
