import type { Clock } from '../../runtime/clock.js';
import type { Answers, CallEffect, Effect, End, Message, Say, ServicePort, Setting } from './dialogue.js';
import type { State, Turn } from './dialogue.js';
import { begin, beginExisting, reduce } from './reduce.js';

export interface Face {
  show(state: State): void;
  whenShown(): Promise<void>;
  close(): Promise<void>;
}

export interface DriveOptions {
  readonly connect: (say: Say) => ServicePort;
  readonly setting: Setting;
  readonly answers: Answers;
  readonly id: string | null;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const TICK_MS = 1000;
const TICKS_PER_READ = 3;

export async function drive(
  options: DriveOptions,
  openFace: (state: State, tell: (message: Message) => void) => Face,
): Promise<End> {
  const { clock, signal } = options;
  const ending = Promise.withResolvers<End>();
  const ticking = new AbortController();
  const { setting, answers, id } = options;
  const nowMs = clock.monotonic();
  let { state, effect } = id === null ? begin(setting, answers, nowMs) : beginExisting(setting, id, nowMs);

  const send = (message: Message): void => {
    const nextTurn: Turn = reduce(state, message);
    state = nextTurn.state;
    face.show(state);
    if (nextTurn.effect !== null) carryOut(nextTurn.effect);
    if (state.step.step === 'done') ending.resolve(state.step.end);
  };
  const say: Say = async (line) => {
    send({ type: 'said', line });
    await face.whenShown();
  };
  const port = options.connect(say);
  const askedBankKeys = new Set<string>();
  const carryOut = (effectToDo: Effect): void => {
    if (effectToDo.type === 'abort') port.abort();
    else if (effectToDo.type !== 'banks') void runCall(effectToDo).catch(ending.reject);
    else if (!askedBankKeys.has(effectToDo.key)) {
      askedBankKeys.add(effectToDo.key);
      const { key, country, method } = effectToDo;
      port.banks(country, method).then((list) => send({ type: 'banks', key, list }), ending.reject);
    }
  };
  const runCall = async (effectToDo: CallEffect): Promise<void> => {
    const end = await port.call(effectToDo);
    send({ type: 'ended', call: effectToDo.type, end, nowMs: clock.monotonic() });
  };
  let isReadingValidity = false;
  const readValidity = (): void => {
    const { id, setting, step } = state;
    if (isReadingValidity || id === null || !setting.isClockMovable || step.step !== 'code') return;
    isReadingValidity = true;
    port.readCodeValidity(id).then((validity) => {
      isReadingValidity = false;
      if (validity !== null) send({ type: 'codeValidity', validity, nowMs: clock.monotonic() });
    }, ending.reject);
  };
  const stop = (): void => send({ type: 'stop' });

  const face = openFace(state, send);
  try {
    if (effect !== null) carryOut(effect);
    effect = null;
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    let ticks = 0;
    void tick(clock, ticking.signal, () => {
      send({ type: 'tick', nowMs: clock.monotonic() });
      ticks += 1;
      if (ticks % TICKS_PER_READ === 0) readValidity();
    });
    const end = await ending.promise;
    await face.whenShown();
    return end;
  } finally {
    ticking.abort();
    signal.removeEventListener('abort', stop);
    await face.close();
  }
}

async function tick(clock: Clock, signal: AbortSignal, onTick: () => void): Promise<void> {
  for (;;) {
    await clock.sleep(TICK_MS, signal).catch(() => undefined);
    if (signal.aborted) return;
    onTick();
  }
}
