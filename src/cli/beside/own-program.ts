/** Programs of the user's that svc starts for a job: what they get to see of the environment, and a command line that is asked for a text. */
import { readTraceparent } from '../../client/request.js';
import { holdsKey } from '../../contract/access.js';
import { systemClock } from '../../runtime/clock.js';
import { type Environ, type Ports, SECRET_VARIABLES } from '../../runtime/ports.js';

/** A service says by these that it is well: a program that hangs must not say it for svc. */
const OF_SYSTEMD: readonly string[] = ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID'];

/** What a program of the user's gets to see of the environment: no key and no signing secret, by whatever name. */
export function withoutSecrets(env: Environ): Environ {
  const secret = env['SVC_WEBHOOK_SECRET'];
  const holdsSecret = (value: string): boolean =>
    holdsKey(value) ||
    /whsec_/i.test(value) ||
    (secret !== undefined && secret !== '' && value.includes(secret));
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name, value]) =>
        !SECRET_VARIABLES.includes(name) &&
        !OF_SYSTEMD.includes(name) &&
        value !== undefined &&
        !holdsSecret(value) &&
        (name !== 'TRACEPARENT' || readTraceparent(value) !== undefined),
    ),
  );
}

/** What a command line printed on standard output, or why that is nothing. */
export type LineAnswer = { readonly text: string } | { readonly problem: string };

/** How long a command line may take. */
const LIMIT_MS = 10_000;
/** More is no state of one operation. */
const TEXT_MAX_BYTES = 64 * 1024;
const SAID_MAX = 200;

/**
 * Runs the command line in a shell that knows no key and no secret, within 10 s; what it leaves behind is ended.
 * @param own variables beside those of this process
 * @returns its text; the problem, as words that follow its name, where it did not end with 0, printed more than 64 KB or took too long
 * @throws Stopped
 */
export async function askLine(ports: Ports, commandLine: string, own: Environ): Promise<LineAnswer> {
  const { runProgram, shellCode } = await import('../../runtime/child.js');
  const { signal } = ports;
  signal.throwIfAborted();
  const env = { ...withoutSecrets(ports.env), ...own };
  const [printed, said]: [Uint8Array[], Uint8Array[]] = [[], []];
  let bytes = 0;
  const kill = new AbortController();
  const onOutput = (chunk: Uint8Array, stream: 'output' | 'errors'): void => {
    bytes += chunk.byteLength;
    if (bytes > TEXT_MAX_BYTES) kill.abort();
    else (stream === 'output' ? printed : said).push(chunk);
  };
  const ended = new AbortController();
  const late = new AbortController();
  const limit = (): void => {
    late.abort();
    kill.abort();
  };
  // The machine's own clock: the program does not go by any other one.
  systemClock.sleep(LIMIT_MS, ended.signal).then(limit, () => undefined);
  // All of it counts: a text whose end is missing is another text.
  const options = { env, signal, kill: kill.signal, onOutput, lastOutputMs: LIMIT_MS };
  const end = await runProgram(['/bin/sh', '-c', commandLine], options).finally(() => ended.abort());
  signal.throwIfAborted();
  if (late.signal.aborted) return { problem: `did not end within ${String(LIMIT_MS / 1000)} s` };
  if (bytes > TEXT_MAX_BYTES) return { problem: 'printed more than 64 KB' };
  if (end.exitCode === 0) return { text: Buffer.concat(printed).toString('utf8') };
  const last = Buffer.concat(said).toString('utf8').trim().split('\n').at(-1) ?? '';
  const words = last === '' ? '' : `: ${last.slice(0, SAID_MAX)}`;
  return { problem: `ended with ${String(shellCode(end))}${words}` };
}
