import { LIMITS } from '../../contract/limits.js';
import { afterArrivals, type Clock } from '../../runtime/clock.js';
import { NotAnswered, type Transport } from '../../runtime/transport.js';
import { formatBody, formatHeaders } from '../log/sides.js';
import type { AttemptOutcome, Outbox } from './outbox.js';
import { requestOf, type OutgoingDelivery, type ReceiverAnswer } from './attempt.js';

export type Dispatcher = ReturnType<typeof startDispatcher>;

const GRACE_MS = 1000;
const ANSWER_KEPT_BYTES = 4096;
const DEFECT_PAUSE_MS = 1000;
/** A longer pause would end late on a machine that slept, because its timers stop meanwhile. */
const PAUSE_MAX_MS = 60_000;

interface DispatcherPorts {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly onDefect: (error: Error) => void;
  readonly onRound?: () => void;
}

type AnswerWait = Pick<PromiseWithResolvers<void>, 'resolve' | 'reject'> & { readonly untilMs: number };

export async function waitAtMost(clock: Clock, limitMs: number, work: Promise<unknown>): Promise<void> {
  const limit = new AbortController();
  await Promise.race([work, clock.sleep(limitMs, limit.signal).catch(() => undefined)]);
  limit.abort();
}

const closedError = (): Error => new Error('Deliveries are sent no more: the sandbox is closed.');

export function startDispatcher(outbox: Outbox, { transport, clock, onDefect, onRound }: DispatcherPorts) {
  const inProgress = new Map<OutgoingDelivery, Promise<void>>();
  const stop = new AbortController();
  let outcomes: AttemptOutcome[] = [];
  const resolversById = new Map<string, (() => void)[]>();
  let isAwake = false;
  let isClosing = false;
  let pause: AbortController | null = null;
  let answerWaits: AnswerWait[] = [];
  const currentAttempts = () => [...inProgress.keys()].filter(outbox.isCurrent);

  const wake = (): void => {
    if (isAwake || isClosing) return;
    isAwake = true;
    afterArrivals(runRound);
  };

  const runRound = (): void => {
    isAwake = false;
    if (isClosing) return;
    endPause();
    try {
      const outcomesOfRound = outcomes;
      const { deliveries, nextInMs, heldIds } = outbox.runRound(outcomesOfRound, currentAttempts());
      outcomes = [];
      onRound?.();
      for (const { outgoing } of outcomesOfRound) resolveAttempted(outgoing.delivery.id);
      for (const id of heldIds) resolveAttempted(id);
      for (const outgoing of deliveries) inProgress.set(outgoing, send(outgoing));
      if (heldIds.length > 0) wake();
      else {
        const firstMs = Math.min(...currentAttempts().map(({ delivery }) => delivery.next_attempt_at));
        for (const { resolve } of answerWaits.filter(({ untilMs }) => firstMs > untilMs)) resolve();
        answerWaits = answerWaits.filter(({ untilMs }) => firstMs <= untilMs);
      }
      if (nextInMs !== null) pauseFor(Math.min(nextInMs, PAUSE_MAX_MS));
    } catch (error) {
      onDefect(error as Error);
      pauseFor(DEFECT_PAUSE_MS);
    }
  };

  const resolveAttempted = (id: string): void => {
    for (const resolve of resolversById.get(id) ?? []) resolve();
    resolversById.delete(id);
  };

  const whenAttempted = async (ids: readonly string[]): Promise<void> => {
    if (isClosing) return;
    const attempts = ids.map(
      (id) =>
        new Promise<void>((resolve) => resolversById.set(id, [...(resolversById.get(id) ?? []), resolve])),
    );
    await waitAtMost(clock, LIMITS.receiverAnswerMs, Promise.all(attempts));
    for (const id of ids) resolveAttempted(id);
  };

  const pauseFor = (ms: number): void => {
    pause = new AbortController();
    clock.sleep(ms, pause.signal).then(wake, () => undefined);
  };

  const endPause = (): void => {
    pause?.abort();
    pause = null;
  };

  const send = async (outgoing: OutgoingDelivery): Promise<void> => {
    const outcome = await makeAttempt(outgoing);
    inProgress.delete(outgoing);
    if (outcome === null) return;
    outcomes.push({ outgoing, outcome });
    wake();
  };

  const makeAttempt = async (outgoing: OutgoingDelivery): Promise<ReceiverAnswer | null> => {
    const request = requestOf(outgoing, clock.now());
    const startedMs = clock.monotonic();
    const tookMs = (): number => Math.round((clock.monotonic() - startedMs) * 100) / 100;
    const { headers } = request;
    const transportOptions = { timeoutMs: LIMITS.receiverAnswerMs, signal: stop.signal, ignoresBody: true };
    try {
      const answer = await transport(request, { ...transportOptions, keptBytes: ANSWER_KEPT_BYTES + 1 });
      const view = { headers: formatHeaders(answer.headers), ...formatBody(answer.body, ANSWER_KEPT_BYTES) };
      return { status: answer.status, error: null, headers, answer: view, ms: tookMs() };
    } catch (error) {
      if (stop.signal.aborted) return null;
      if (!(error instanceof NotAnswered)) onDefect(error as Error);
      const failure = { status: null, error: (error as Error).message, headers, answer: null, ms: tookMs() };
      return error instanceof NotAnswered ? { ...failure, reason: error.reason } : failure;
    }
  };

  wake();
  return {
    wake,
    whenAttempted,
    inProgress: currentAttempts,
    whenAnswered: (untilMs: number) =>
      new Promise<void>((resolve, reject) => {
        if (isClosing) reject(closedError());
        answerWaits.push({ untilMs, resolve, reject });
        wake();
      }),
    async close(): Promise<void> {
      isClosing = true;
      for (const id of [...resolversById.keys()]) resolveAttempted(id);
      for (const { reject } of answerWaits.splice(0)) reject(closedError());
      endPause();
      const allEnded = Promise.all(inProgress.values());
      await waitAtMost(clock, GRACE_MS, allEnded);
      stop.abort();
      await allEnded;
      if (outcomes.length > 0) outbox.record(outcomes);
    },
  };
}
