/** Runs the dialogue at a terminal: keys and answers go into the reducer, what it asks for goes to the port, frames go to the screen. */
import type { Clock } from '../runtime/clock.js';
import type { Effect, End, Message, Setting, Turn } from './dialogue.js';
import type { Answers, PayInPort, Say } from './port.js';
import { begin, beginWith, reduce } from './reduce.js';
import { App } from './view/app.js';
import { FlowView } from './view/flow-view.js';
import { openScreen, type ScreenOptions } from './screen.js';

export interface FlowOptions extends ScreenOptions {
  /** The way to the service; what it says while it works stays on the screen. */
  readonly connect: (say: Say) => PayInPort;
  readonly setting: Setting;
  /** What flags and data have answered already. */
  readonly answers: Answers;
  /** The pay-in that exists, where the dialogue is about one. */
  readonly id: string | null;
  readonly clock: Clock;
  /** Ends the dialogue from outside. */
  readonly signal: AbortSignal;
}

/** The countdown's step. */
const TICK_MS = 1000;

/** Resolves when the dialogue has ended and the terminal is as it was. @throws whatever the port throws: a defect */
export async function runFlow(options: FlowOptions): Promise<End> {
  const { clock, signal } = options;
  const ended = Promise.withResolvers<End>();
  const ticking = new AbortController();
  let { state, effect } = first(options);

  const element = () => (
    <App theme={options} tell={tell}>
      <FlowView state={state} />
    </App>
  );
  const tell = (message: Message): void => {
    const next: Turn = reduce(state, message);
    state = next.state;
    screen.rerender(element());
    if (next.effect !== null) carryOut(next.effect);
    if (state.step.step === 'done') ended.resolve(state.step.end);
  };
  const say: Say = async (line) => {
    tell({ type: 'said', line });
    await screen.waitUntilRenderFlush();
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
  const stop = (): void => tell({ type: 'stop' });

  const screen = openScreen(element(), options);
  try {
    if (effect !== null) carryOut(effect);
    effect = null;
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    void tick(clock, ticking.signal, () => tell({ type: 'tick', nowMs: clock.monotonic() }));
    const end = await ended.promise;
    await screen.waitUntilRenderFlush();
    return end;
  } finally {
    ticking.abort();
    signal.removeEventListener('abort', stop);
    screen.unmount();
    await screen.waitUntilExit();
  }
}

function first({ setting, answers, id, clock }: FlowOptions): Turn {
  return id === null ? begin(setting, answers, clock.monotonic()) : beginWith(setting, id, clock.monotonic());
}

function callOf(port: PayInPort, effect: Exclude<Effect, { type: 'banks' | 'abort' }>) {
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
