import { runCommand } from '../../sandbox/beside/run-command.js';
import {
  type CommandSandbox,
  type CommandSandboxSettings,
  openCommandSandbox,
  withoutSvcVariables,
} from '../../sandbox/beside/sandbox.js';
import { openNetwork } from '../../session/connection.js';
import type { SeenRequest, SeenRun, StoppedFor } from '../client/request-seen.js';
import { Failure } from '../../runtime/failure.js';
import type { Environ, Ports } from '../../runtime/ports.js';
import type { TemporaryFolder } from '../../runtime/temporary-folder.js';
import { IN_PROGRESS_MAX } from '../../sandbox/delivery/attempt.js';
import type { ReadPage } from '../../sandbox/wire/browser.js';
import { openAddress } from './address.js';
import { hooksOf } from './deliveries.js';
import { examInterposer, type RunPlan, scopeName, type Scope } from './interpose.js';
import { recorderOf } from './recorder.js';
import { endpoint } from '../../contract/endpoints.js';
import type { Clock } from '../../runtime/clock.js';

export interface ExamPlace {
  readonly ports: Ports;
  readonly command: readonly string[];
  readonly before: string | null;
  readonly folder: TemporaryFolder;
  readonly salt: string;
}

const FIRST_SETTINGS: CommandSandboxSettings = { code: '123456', settleAfterSeconds: 0, isLive: false };

export async function runOnce(place: ExamPlace, plan: RunPlan): Promise<SeenRun> {
  const run = await startRun(place, plan);
  await run.close();
  return run.seen;
}

export async function startRun(place: ExamPlace, plan: RunPlan, page?: ReadPage) {
  const { ports } = place;
  const { clock } = ports;
  const recorder = recorderOf(() => clock.monotonic(), place.salt);
  const runEnd = new AbortController();
  const stopper = runStopper(clock, plan);
  const network = lazyNetwork(ports);
  const { transport } = network;
  const hooks = hooksOf(transport, clock, recorder, plan.fault);
  let rerunFrom: number | null = null;
  const runPorts = {
    ...{ clock, recorder, hooks, plan, transport, signal: runEnd.signal, kill: stopper.kill },
    hold: stopper.hold,
    onArrival: stopper.countArrival,
    isRerunning: () => rerunFrom !== null,
  };
  const sandboxes = sandboxesOf(
    async (settings, scope) =>
      openCommandSandbox(ports, settings, hooks.transport, {
        ...(page === undefined ? {} : { page }),
        interposerOf: (sandbox) => examInterposer(sandbox, scope, runPorts),
      }),
    (name, { sandbox }) => recorder.readStatuses(name, sandbox.handle),
  );
  const first = await sandboxes.open(FIRST_SETTINGS);
  const address = await openAddress(sandboxes);
  const close = async (): Promise<void> => {
    runEnd.abort();
    await address.close();
    await sandboxes.closeAll();
    await network.close();
  };
  try {
    const ownVariables = { SVC_HOME: place.folder.makeInside(ports.random.hex(8)), SVC_CERTIFY: address.url };
    const env = { ...withoutSvcVariables(ports.env), ...ownVariables, ...first.variables };
    if (place.before !== null) await runBefore(place.before, env, ports);
    const output = outputTail();
    const startedMs = recorder.nowMs();
    const start = (): Promise<number> =>
      stopper.guard((kill) =>
        runCommand(place.command, { env, signal: ports.signal, kill, onOutput: output.take }),
      );
    let exitCode = await start();
    if (plan.isRerun && exitCode !== 0 && stopper.reason() === null) {
      rerunFrom = recorder.requests.length + 1;
      exitCode = await start();
    }
    ports.signal.throwIfAborted();
    const tookMs = recorder.nowMs() - startedMs;
    sandboxes.readAllStatuses();
    const { requests, operations, deliveries } = recorder;
    const seen: SeenRun = {
      ...{ caseId: plan.caseId, requests, operations, deliveries, exitCode, tookMs, rerunFrom },
      stoppedFor: stopper.reason(),
      output: output.text(),
      hits: requests.filter(({ fault }) => fault !== null && fault === plan.fault).length,
    };
    return { seen, url: `http://127.0.0.1:${String(first.port)}/`, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function sandboxesOf(
  openOne: (settings: CommandSandboxSettings, scope: Scope) => Promise<CommandSandbox>,
  readStatuses: (scope: string, commandSandbox: CommandSandbox) => void,
) {
  const running = new Map<number, { readonly commandSandbox: CommandSandbox; readonly scope: Scope }>();
  let openedCount = 0;
  const close = async (port: number): Promise<boolean> => {
    const one = running.get(port);
    if (one === undefined) return false;
    running.delete(port);
    readStatuses(scopeName(one.scope), one.commandSandbox);
    await one.commandSandbox.close();
    return true;
  };
  return {
    close,
    open: async (settings: CommandSandboxSettings): Promise<CommandSandbox> => {
      openedCount += 1;
      const scope = { sandbox: openedCount, resets: 0 };
      const commandSandbox = await openOne(settings, scope);
      running.set(commandSandbox.port, { commandSandbox, scope });
      return commandSandbox;
    },
    readAllStatuses: (): void => {
      for (const { commandSandbox, scope } of running.values())
        readStatuses(scopeName(scope), commandSandbox);
    },
    closeAll: async (): Promise<void> => {
      await Promise.all([...running.keys()].map(close));
    },
  };
}

async function runBefore(line: string, env: Environ, { signal }: Ports): Promise<void> {
  const output = outputTail();
  const exitCode = await runCommand(['/bin/sh', '-c', line], { env, signal, onOutput: output.take });
  signal.throwIfAborted();
  if (exitCode === 0) return;
  const text = `The --before command ended with ${String(exitCode)}, so nothing can be judged.`;
  throw new Failure('not_certified', text, { items: lastLines(output.text()) });
}

export function lastLines(output: string): string[] {
  return output
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-6);
}

const OUTPUT_MAX_CHARACTERS = 4000;
const OUTPUT_MAX_BYTES = 4 * OUTPUT_MAX_CHARACTERS;

function outputTail() {
  let bytes = Buffer.alloc(0);
  return {
    take: (chunk: Uint8Array): void => {
      bytes = Buffer.concat([bytes, chunk.subarray(-OUTPUT_MAX_BYTES)]).subarray(-OUTPUT_MAX_BYTES);
    },
    text: (): string => bytes.toString('utf8').slice(-OUTPUT_MAX_CHARACTERS),
  };
}

function lazyNetwork(ports: Ports): Awaited<ReturnType<typeof openNetwork>> {
  let network: ReturnType<typeof openNetwork> | null = null;
  return {
    transport: async (request, options) => {
      network ??= openNetwork(ports, undefined, IN_PROGRESS_MAX);
      return (await network).transport(request, options);
    },
    close: async () => (await network)?.close(),
  };
}

const RATE_MAX = 500;
const SECOND_MS = 1000;
const OVERTIME_MIN_MS = 10_000;

export function runStopper(clock: Clock, { limitMs, writesMax }: Pick<RunPlan, 'limitMs' | 'writesMax'>) {
  let killSwitch = new AbortController();
  let reason: StoppedFor | null = null;
  let [isWaiting, isOverdue] = [false, false];
  let writes = 0;
  const arrivals: number[] = [];
  const stop = (why: StoppedFor): void => {
    reason ??= why;
    killSwitch.abort();
  };
  // A command that still waits at `limitMs` gets more time, because its own limit may be longer.
  const watch = async (signal: AbortSignal): Promise<void> => {
    await clock.sleep(limitMs, signal);
    isOverdue = isWaiting;
    if (isOverdue) await clock.sleep(Math.max(limitMs, OVERTIME_MIN_MS), signal);
    stop('time');
  };
  return {
    hold: (gone: Promise<void>): Promise<void> => {
      isWaiting = true;
      return gone.then(() => {
        isWaiting = false;
        if (isOverdue) stop('gave_up');
      });
    },
    reason: (): StoppedFor | null => reason,
    kill: (): void => killSwitch.abort(),
    countArrival: ({ atMs, route }: Pick<SeenRequest, 'atMs' | 'route'>): void => {
      if (route !== null && endpoint(route).method === 'POST') writes += 1;
      arrivals.push(atMs);
      if (arrivals.length > RATE_MAX) {
        const oldestMs = arrivals.shift() ?? 0;
        if (atMs - oldestMs < SECOND_MS) stop('rate');
      }
      if (writes > writesMax) stop('requests');
    },
    async guard<T>(run: (kill: AbortSignal) => Promise<T>): Promise<T> {
      killSwitch = new AbortController();
      const runEnd = new AbortController();
      watch(runEnd.signal).catch(() => undefined);
      try {
        return await run(killSwitch.signal);
      } finally {
        if (isOverdue) reason ??= 'gave_up';
        runEnd.abort();
      }
    },
  };
}
