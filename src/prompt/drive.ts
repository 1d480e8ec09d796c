/** Drives the dialogue: what a person does and what the service answers go into the reducer, what it asks for goes to the port, states go to a face. */
import type { Clock } from '../runtime/clock.js';
import type { Effect, End, Message, Setting, State, Turn } from './dialogue.js';
import type { Answers, Say, ServicePort } from './port.js';
import { begin, beginWith, reduce } from './reduce.js';

/** How a dialogue is shown. */
export interface Face {
  show(state: State): void;
  /** Resolves once what was shown stands there. */
  shown(): Promise<void>;
  /** Resolves when the terminal is as it was. */
  close(): Promise<void>;
}

export interface DriveOptions {
  /** The way to the service; what it says while it works stays on the screen. */
  readonly connect: (say: Say) => ServicePort;
  readonly setting: Setting;
  /** What flags and data have answered already. */
  readonly answers: Answers;
  /** The pay-in that exists, where the dialogue is about one. */
  readonly id: string | null;
  readonly clock: Clock;
  /** Ends the dialogue from outside. */
  readonly signal: AbortSignal;
}

/** The countdown's step, and in how many of them a clock that may be moved is asked for once. */
const TICK_MS = 1000;
const TICKS_A_LOOK = 3;

/**
 * Resolves when the dialogue has ended and the terminal is as it was.
 * @param open shows the first state, and reports what a person does
 * @throws whatever the port throws: a defect
 */
export async function drive(
  options: DriveOptions,
  open: (state: State, tell: (message: Message) => void) => Face,
): Promise<End> {
  const { clock, signal } = options;
  const ended = Promise.withResolvers<End>();
  const ticking = new AbortController();
  const { setting, answers, id } = options;
  const nowMs = clock.monotonic();
  let { state, effect } = id === null ? begin(setting, answers, nowMs) : beginWith(setting, id, nowMs);

  const tell = (message: Message): void => {
    const next: Turn = reduce(state, message);
    state = next.state;
    face.show(state);
    if (next.effect !== null) carryOut(next.effect);
    if (state.step.step === 'done') ended.resolve(state.step.end);
  };
  const say: Say = async (line) => {
    tell({ type: 'said', line });
    await face.shown();
  };
  const port = options.connect(say);
  const loading = new Set<string>();
  const carryOut = (wanted: Effect): void => {
    if (wanted.type === 'abort') port.abort();
    else if (wanted.type !== 'banks') void answered(wanted).catch(ended.reject);
    else if (!loading.has(wanted.of)) {
      loading.add(wanted.of);
      const { of, country, method } = wanted;
      port.banks(country, method).then((list) => tell({ type: 'banks', of, list }), ended.reject);
    }
  };
  const answered = async (wanted: Exclude<Effect, { type: 'banks' | 'abort' }>): Promise<void> => {
    const end = await callOf(port, wanted);
    tell({ type: 'ended', call: wanted.type, end, nowMs: clock.monotonic() });
  };
  let isLooking = false;
  const look = (): void => {
    const { id, setting, step } = state;
    if (isLooking || id === null || !setting.clockMoves || step.step !== 'code') return;
    isLooking = true;
    port.codeLeft(id).then((left) => {
      isLooking = false;
      if (left !== null) tell({ type: 'codeLeft', left, nowMs: clock.monotonic() });
    }, ended.reject);
  };
  const stop = (): void => tell({ type: 'stop' });

  const face = open(state, tell);
  try {
    if (effect !== null) carryOut(effect);
    effect = null;
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    let ticks = 0;
    void tick(clock, ticking.signal, () => {
      tell({ type: 'tick', nowMs: clock.monotonic() });
      ticks += 1;
      if (ticks % TICKS_A_LOOK === 0) look();
    });
    const end = await ended.promise;
    await face.shown();
    return end;
  } finally {
    ticking.abort();
    signal.removeEventListener('abort', stop);
    await face.close();
  }
}

function callOf(port: ServicePort, effect: Exclude<Effect, { type: 'banks' | 'abort' }>) {
  switch (effect.type) {
    case 'create':
      return port.create(effect.answers);
    case 'repeat':
      return port.repeat();
    case 'confirm':
      return port.confirm(effect.id, effect.code);
    case 'resend':
      return port.resend(effect.id);
    case 'lookUp':
      return port.lookUp(effect.id);
    case 'follow':
      return port.follow(effect.id);
  }
}

async function tick(clock: Clock, signal: AbortSignal, tell: () => void): Promise<void> {
  for (;;) {
    await clock.sleep(TICK_MS, signal).catch(() => undefined);
    if (signal.aborted) return;
    tell();
  }
}
