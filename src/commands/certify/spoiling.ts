/** Does to a request what the fault of its case says: carries it out or not, holds it, and sends the service's answer, another one or none. */
import type { Instead, Spoiling } from '../../certify/client-exam.js';
import type { SeenRequest, Told } from '../../certify/seen.js';
import type { ErrorCode } from '../../contract/errors.js';
import type { Clock } from '../../runtime/clock.js';
import type { Exchange } from '../../sandbox/interposer.js';
import { refusalAnswer, type SandboxAnswer } from '../../sandbox/message.js';
import { type Recorder, toldBy } from './recorder.js';

/** What it takes beside the exchange. */
export interface SpoilingPorts {
  readonly clock: Clock;
  readonly recorder: Recorder;
  /** The run is over, or stopped: nothing is held any more. */
  readonly signal: AbortSignal;
  /** How long the command may take to give up on an answer that never comes. */
  readonly patienceMs: number;
  /** Kills the command. */
  readonly kill: () => void;
  /** Tells the service what comes before it carries the request out, and carries it out. */
  readonly carryOut: (
    exchange: Exchange,
    seen: SeenRequest,
    first: Spoiling['first'],
  ) => Promise<SandboxAnswer>;
}

/** Resolves when it is over. */
export async function spoil(
  exchange: Exchange,
  seen: SeenRequest,
  { name, first, isCarriedOut, holdMs, instead }: Spoiling,
  ports: SpoilingPorts,
): Promise<void> {
  const { clock, signal } = ports;
  seen.fault = name;
  exchange.mark(name);
  const answer = isCarriedOut ? await ports.carryOut(exchange, seen, first) : null;
  if (holdMs > 0) await Promise.race([clock.sleep(holdMs, signal).catch(() => undefined), exchange.gone]);
  await answerInstead(exchange, seen, { instead, answer }, ports);
}

async function answerInstead(
  exchange: Exchange,
  seen: SeenRequest,
  { instead, answer }: { readonly instead: Instead; readonly answer: SandboxAnswer | null },
  ports: SpoilingPorts,
): Promise<void> {
  const { clock, recorder, signal, patienceMs, kill } = ports;
  const own = answer ?? refusalAnswer({ refusal: 'temporarily_unavailable' });
  const cut = (): void => {
    recorder.ended(seen, NOTHING);
    exchange.cut();
  };
  switch (instead.kind) {
    case 'own':
      return sendTold(exchange, seen, own, recorder);
    case 'cut':
      cut();
      return;
    case 'killed':
      kill();
      cut();
      return;
    case 'half':
      recorder.ended(seen, { kind: 'unreadable', status: own.status });
      return exchange.sendHalf(own);
    case 'never': {
      const enough = new AbortController();
      const either = AbortSignal.any([signal, enough.signal]);
      await Promise.race([exchange.gone, clock.sleep(patienceMs, either).catch(() => undefined)]);
      enough.abort();
      cut();
      return;
    }
    case 'page':
      return sendTold(exchange, seen, pageAnswer(instead.status ?? own.status), recorder);
    case 'error': {
      const { status, code, retryAfterSeconds: seconds } = instead;
      const headers = seconds === null ? {} : { headers: { 'Retry-After': String(seconds) } };
      const refusal = code as ErrorCode | 'internal';
      return sendTold(exchange, seen, refusalAnswer({ refusal, status, ...headers }), recorder);
    }
  }
}

const NOTHING: Told = { kind: 'none' };

/** Sends it; the command knows what it says, unless it has left, or a fault that it armed itself keeps the answer from it. */
export async function sendTold(
  exchange: Exchange,
  seen: SeenRequest,
  answer: SandboxAnswer,
  recorder: Recorder,
): Promise<void> {
  const { interference, deliveredFirst } = answer;
  const told = toldThrough(answer);
  // The next request may be here before the end of this one is heard of.
  if (interference === null && deliveredFirst === undefined) {
    recorder.ended(seen, seen.endedMs === null ? told : NOTHING);
    return exchange.send(answer);
  }
  const heldUntilMs = recorder.nowMs() + (interference?.kind === 'delay' ? interference.delayMs : 0);
  await exchange.send(answer);
  recorder.ended(seen, (seen.endedMs ?? Infinity) < heldUntilMs ? NOTHING : told);
}

/** What is known of an answer that a fault of the sandbox's own spoils. */
function toldThrough(answer: SandboxAnswer): Told {
  const { interference, status } = answer;
  if (interference === null || interference.kind === 'delay') return toldBy(answer);
  return interference.kind === 'truncated' ? { kind: 'unreadable', status } : NOTHING;
}

function pageAnswer(status: number): SandboxAnswer {
  const title = status >= 500 ? `${String(status)} Bad Gateway` : 'It works!';
  const body = Buffer.from(`<!DOCTYPE html>\n<html><body><h1>${title}</h1></body></html>\n`);
  return { status, headers: { 'Content-Type': 'text/html; charset=utf-8' }, body, interference: null };
}
