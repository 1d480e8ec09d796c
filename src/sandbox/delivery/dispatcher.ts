/** Sends deliveries while a server runs: wakes when one is due, waits for the receiver, and records its answer. */
import { LIMITS } from '../../contract/limits.js';
import { afterArrivals, type Clock } from '../../runtime/clock.js';
import { NotAnswered, type Transport } from '../../runtime/transport.js';
import { shownBody, shownHeaders } from '../log/sides.js';
import type { Finished, Outbox } from './outbox.js';
import { requestOf, type OutgoingDelivery, type ReceiverAnswer } from './attempt.js';

export interface DispatcherOptions {
  /** The way to the receivers. It follows no redirect. */
  readonly transport: Transport;
  readonly clock: Clock;
  /** Called for a defect, and for a store that cannot be used. Deliveries that are due stay due. */
  readonly onDefect: (error: Error) => void;
}

export interface Dispatcher {
  /** Something may have fallen due. Cheap; called after every group of requests. */
  wake(): void;
  /** The attempts that have no answer yet. */
  underWay(): readonly OutgoingDelivery[];
  /**
   * Resolves once each attempt that was due by then has its answer, and so has each attempt that follows one of them by then.
   * Rejects when this is closed first.
   * @param untilMs sandbox time, not later than now
   */
  answered(untilMs: number): Promise<void>;
  /**
   * Resolves when each of these deliveries was attempted once, or is kept back by a fault; and after the time that a receiver has. Said
   * before the next round, in the turn in which they were made.
   */
  readonly attempted: (ids: readonly string[]) => Promise<void>;
  /** Takes nothing more, gives what is under way a moment to end, and cuts the rest, which stays owed. */
  close(): Promise<void>;
}

/** How long a stopping dispatcher waits for receivers. */
const GRACE_MS = 1000;
/** How much of what a receiver says is kept. */
const ANSWER_KEPT_BYTES = 4096;
/** How long it waits before it tries a store again that could not be used. */
const AFTER_DEFECT_MS = 1000;
/** It looks again at least this often while something is owed: a machine that slept has another time now. */
const LONGEST_REST_MS = 60_000;

interface Wait {
  readonly untilMs: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

const closed = (): Error => new Error('Deliveries are sent no more: the sandbox is closed.');

/** Begins at once with what is owed. */
export function startDispatcher(
  outbox: Outbox,
  { transport, clock, onDefect }: DispatcherOptions,
): Dispatcher {
  const underWay = new Map<OutgoingDelivery, Promise<void>>();
  const cutting = new AbortController();
  let finished: Finished[] = [];
  const awaited = new Map<string, (() => void)[]>();
  let isAwake = false;
  let isClosing = false;
  let rest: AbortController | null = null;
  let waits: Wait[] = [];

  const wake = (): void => {
    if (isAwake || isClosing) return;
    isAwake = true;
    afterArrivals(work);
  };

  const work = (): void => {
    isAwake = false;
    if (isClosing) return;
    stopResting();
    try {
      const recorded = finished;
      const { deliveries, nextInMs, heldBack } = outbox.round(recorded, [...underWay.keys()]);
      finished = [];
      for (const { outgoing } of recorded) tell(outgoing.delivery.id);
      for (const id of heldBack) tell(id);
      for (const outgoing of deliveries) underWay.set(outgoing, send(outgoing));
      // What came behind those that are kept back has room now.
      if (heldBack.length > 0) wake();
      else endWaits();
      if (nextInMs !== null) restFor(Math.min(nextInMs, LONGEST_REST_MS));
    } catch (error) {
      onDefect(error as Error);
      restFor(AFTER_DEFECT_MS);
    }
  };

  /** Right after a round: what is due is under way now, or behind something that is. */
  const endWaits = (): void => {
    if (waits.length === 0) return;
    const firstMs = Math.min(...[...underWay.keys()].map(({ delivery }) => delivery.next_attempt_at));
    const isOver = ({ untilMs }: Wait): boolean => firstMs > untilMs;
    for (const { resolve } of waits.filter(isOver)) resolve();
    waits = waits.filter((wait) => !isOver(wait));
  };

  const tell = (id: string): void => {
    for (const resolve of awaited.get(id) ?? []) resolve();
    awaited.delete(id);
  };

  const attempted = async (ids: readonly string[]): Promise<void> => {
    if (isClosing) return;
    const ended = new AbortController();
    const each = ids.map(
      (id) => new Promise<void>((resolve) => awaited.set(id, [...(awaited.get(id) ?? []), resolve])),
    );
    const limit = clock.sleep(LIMITS.receiverAnswerMs, ended.signal).catch(() => undefined);
    await Promise.race([Promise.all(each), limit]);
    ended.abort();
    for (const id of ids) tell(id);
  };

  const restFor = (ms: number): void => {
    rest = new AbortController();
    clock.sleep(ms, rest.signal).then(wake, () => undefined);
  };

  const stopResting = (): void => {
    rest?.abort();
    rest = null;
  };

  const send = async (outgoing: OutgoingDelivery): Promise<void> => {
    const outcome = await attempt(outgoing);
    underWay.delete(outgoing);
    if (outcome === null) return;
    finished.push({ outgoing, outcome });
    wake();
  };

  /** Null where it was cut because the server stops. */
  const attempt = async (outgoing: OutgoingDelivery): Promise<ReceiverAnswer | null> => {
    const request = requestOf(outgoing, clock.now());
    const startedMs = clock.monotonic();
    const tookMs = (): number => Math.round((clock.monotonic() - startedMs) * 100) / 100;
    const { headers } = request;
    const limits = { timeoutMs: LIMITS.receiverAnswerMs, signal: cutting.signal, ignoresBody: true };
    try {
      const answer = await transport(request, { ...limits, keptBytes: ANSWER_KEPT_BYTES + 1 });
      const received = {
        headers: shownHeaders(answer.headers),
        ...shownBody(answer.body, ANSWER_KEPT_BYTES),
      };
      return { status: answer.status, error: null, headers, answer: received, ms: tookMs() };
    } catch (error) {
      if (cutting.signal.aborted) return null;
      if (!(error instanceof NotAnswered)) onDefect(error as Error);
      const failed = { status: null, error: (error as Error).message, headers, answer: null, ms: tookMs() };
      return error instanceof NotAnswered ? { ...failed, reason: error.reason } : failed;
    }
  };

  wake();
  return {
    wake,
    attempted,
    underWay: () => [...underWay.keys()],
    answered: (untilMs) =>
      new Promise((resolve, reject) => {
        if (isClosing) reject(closed());
        waits.push({ untilMs, resolve, reject });
        wake();
      }),
    async close() {
      isClosing = true;
      for (const id of [...awaited.keys()]) tell(id);
      for (const { reject } of waits.splice(0)) reject(closed());
      stopResting();
      const ended = Promise.all(underWay.values());
      const grace = new AbortController();
      await Promise.race([ended, clock.sleep(GRACE_MS, grace.signal).catch(() => undefined)]);
      grace.abort();
      cutting.abort();
      await ended;
      if (finished.length > 0) outbox.record(finished);
    },
  };
}
