import { listenFailure } from '../../command/line/local-server.js';
import { answerHealth, type HealthQuestion } from './answer.js';
import { Notifier, supervisionIn, statusLine } from './notify.js';
import { SavedPosition, FollowerState, isUnsaved } from './follower-state.js';
import { watchFollower } from './watch.js';
import { errorCode } from '../../runtime/folders.js';
import { Failure } from '../../runtime/failure.js';
import type { FeedFlags, FeedOptions } from '../follow-flags.js';
import { runInBackground } from '../../runtime/child.js';
import type { Environ } from '../../runtime/ports.js';
import type { SessionRun } from '../../command/command.js';

export type WatchedService = Awaited<ReturnType<typeof openService>>;

export async function openService(run: SessionRun<FeedFlags>, options: FeedOptions) {
  const { ports, session } = run;
  const { clock } = ports;
  const clocks = {
    monotonic: () => clock.monotonic(),
    now: () => clock.now(),
    serviceNow: () => session.clock.now(),
  };
  const savedPosition = new SavedPosition(clocks);
  const state = new FollowerState(clocks, savedPosition);
  const closeHealth = await openHealth(run, options, state);
  ports.signal.addEventListener('abort', () => void notifier?.end(), { once: true });
  const notifier = openNotifier(run, () => statusLine(state.facts(), options.maxLagMs));
  return {
    ...watchFollower(state, savedPosition, (change) => {
      notifier?.onChange(isUnsaved(savedPosition.facts(), options.maxLagMs) ? 'change' : change);
    }),
    close: async (): Promise<void> => {
      closeHealth();
      await notifier?.end();
    },
  };
}

async function openHealth(
  { session }: SessionRun<FeedFlags>,
  { health, maxLagMs }: FeedOptions,
  state: FollowerState,
): Promise<() => void> {
  if (health === null) return () => undefined;
  const { serveHealth } = await import('./health-server.js');
  const { host, port } = health;
  const answer = (question: HealthQuestion) => answerHealth(question, state.facts(), maxLagMs, host);
  const server = await serveHealth(answer, health).catch((error: unknown) => {
    const text = '--health-host is not an address of this machine. Nothing was sent.';
    if (NO_ADDRESS_CODES.has(errorCode(error) ?? '')) throw new Failure('usage', text, { cause: error });
    throw listenFailure(error, port, '--health');
  });
  const hostText = host.includes(':') ? `[${host}]` : host;
  await session.note(`Health is at http://${hostText}:${String(server.port)}/healthz, metrics at /metrics.`);
  return () => server.close();
}

const NO_ADDRESS_CODES: ReadonlySet<string> = new Set(['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL']);

function openNotifier({ ports, session }: SessionRun<FeedFlags>, status: () => string): Notifier | null {
  const supervision = supervisionIn(ports.env, ports.pid);
  if (supervision === null) return null;
  const send = systemdNotify(ports.env, (text) => session.note(text, { level: 'warn' }));
  return new Notifier({ ...supervision, send, status, monotonic: () => ports.clock.monotonic() });
}

const PROGRAM = 'systemd-notify';
const LIMIT_MS = 2000;

export function systemdNotify(
  env: Environ,
  report: (text: string) => Promise<void>,
): (words: readonly string[]) => Promise<void> {
  let hasFailed = false;
  const fail = async (problem: string): Promise<void> => {
    if (hasFailed) return;
    hasFailed = true;
    await report(
      `${problem}, so systemd does not learn the state of this service. A watchdog would stop it.`,
    );
  };
  // Passes on only `PATH` and `NOTIFY_SOCKET`, because other variables may hold an API key.
  const childEnv = Object.fromEntries(['PATH', 'NOTIFY_SOCKET'].map((name) => [name, env[name]]));
  return async (words) => {
    try {
      const { exitCode } = await runInBackground([PROGRAM, ...words], { env: childEnv, timeoutMs: LIMIT_MS });
      if (exitCode !== 0) await fail(`${PROGRAM} failed`);
    } catch (error) {
      const isMissing = errorCode(error) === 'ENOENT';
      await fail(isMissing ? `${PROGRAM} is not on the PATH` : `${PROGRAM} could not be started`);
    }
  };
}
