import { untilStopped } from '../../runtime/ports.js';
import type { Transport } from '../../runtime/transport.js';
import type { SeenRequest, SeenAnswer } from '../client/request-seen.js';
import { jsonIn } from '../../contract/json.js';
import { isObject } from '../../contract/shape.js';
import { isStateUpload } from '../../sandbox/control/call.js';
import { CONTROL_PATH } from '../../sandbox/control/control.js';
import type { Exchange, Interposer } from '../../sandbox/interposer.js';
import { controlRequest, type SandboxAnswer, refusalAnswer } from '../../sandbox/message.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { hooksOf } from './deliveries.js';
import { seenAnswerOf, type Recorder } from './recorder.js';
import type { ErrorCode } from '../../contract/errors.js';
import type { Clock } from '../../runtime/clock.js';
import { headerValues } from '../../sandbox/http/access.js';
import type { ClientFault, Spoiling } from '../client/faults.js';

export interface RunPlan {
  readonly caseId: string | null;
  readonly fault: ClientFault | null;
  readonly aim: (before: readonly SeenRequest[], seen: SeenRequest) => Spoiling | null;
  readonly isRerun: boolean;
  readonly writesMax: number;
  readonly limitMs: number;
}

interface RunPorts {
  readonly clock: Clock;
  readonly recorder: Recorder;
  readonly plan: RunPlan;
  readonly hooks: ReturnType<typeof hooksOf>;
  readonly transport: Transport;
  readonly signal: AbortSignal;
  readonly hold: (gone: Promise<void>) => Promise<void>;
  readonly kill: () => void;
  readonly onArrival: (seen: SeenRequest) => void;
  readonly isRerunning: () => boolean;
}

const PENDING_MS = 2000;
const DECLINED = { code: 'limit_exceeded', reason: 'daily_limit' };
const CONFIRMED_LATER = '{"status":"confirmed"}';
const FAILED_LATER = JSON.stringify({ status: 'failed', failure: DECLINED });
const CONTROL_TIMEOUT_MS = 10_000;

export function examInterposer(sandbox: Sandbox, scope: Scope, ports: RunPorts): Interposer {
  const { recorder, plan, hooks } = ports;
  const carrier = carrierOf(sandbox, ports);
  const passThrough = async (exchange: Exchange, seen: SeenRequest): Promise<void> => {
    const answer = await carrier.carryOut(exchange, seen, null);
    if (plan.fault === 'hooks-first' && seen.method === 'POST' && carrier.hasReceiver()) {
      const seenAnswer = seenAnswerOf(answer);
      const operation = seenAnswer.kind === 'readable' ? seenAnswer.operation : null;
      if (operation !== null && operation.status !== 'pending') await hooks.untilSent(operation.id);
    }
    const value = plan.fault === 'members' ? jsonIn(answer.body) : undefined;
    const body = Buffer.from(`${JSON.stringify(withNewMembers(value), null, 1)}\n`);
    await sendAnswer(exchange, seen, value === undefined ? answer : { ...answer, body }, recorder);
  };
  return async (exchange) => {
    const { request } = exchange;
    if (request.target.startsWith(CONTROL_PATH)) {
      const { method, target } = request;
      const isReset = method === 'POST' && target.split('?', 1)[0] === `${CONTROL_PATH}reset`;
      if (isReset || isStateUpload(method, target)) {
        recorder.readStatuses(scopeName(scope), sandbox.handle);
        scope.resets += 1;
      }
      return exchange.send(await exchange.carryOut());
    }
    const seen = recorder.recordArrival(request, scopeName(scope));
    void exchange.whenClientGone.then(() => recorder.recordHangUp(seen));
    ports.onArrival(seen);
    const spoiling = ports.isRerunning() ? null : plan.aim(recorder.requests.slice(0, -1), seen);
    if (spoiling === null) return passThrough(exchange, seen);
    await spoil(exchange, seen, spoiling, { ...ports, ...carrier });
  };
}

export interface Scope {
  readonly sandbox: number;
  resets: number;
}

export function scopeName({ sandbox, resets }: Scope): string {
  return `${String(sandbox)}.${String(resets)}`;
}

/** While a special outcome is prepared, only one request runs, because another request would get that outcome. */
function carrierOf(sandbox: Sandbox, { recorder, transport, clock, signal }: RunPorts) {
  const runningWork = new Set<Promise<unknown>>();
  let exclusiveWork: Promise<unknown> | null = null;
  let isRegistered = false;
  const verdicts = new Map<unknown, string>();
  const postControl = (path: string, body: object): void => {
    sandbox.handle(controlRequest('POST', path, Buffer.from(JSON.stringify(body))));
  };
  const settle = async (id: string, verdict: string, host: string): Promise<void> => {
    await clock.sleep(PENDING_MS, signal);
    const body = Buffer.from(verdict);
    const url = `http://${host}${CONTROL_PATH}operations/${id}/settle`;
    const headers = { 'Content-Type': 'application/json' };
    await transport({ method: 'POST', url, headers, body }, { timeoutMs: CONTROL_TIMEOUT_MS, signal });
  };
  const recordWork = (exchange: Exchange, seen: SeenRequest, answer: SandboxAnswer): SandboxAnswer => {
    recorder.recordResult(seen, answer);
    if (seen.route === 'webhooks.register' && answer.status < 300) isRegistered = true;
    const value = jsonIn(answer.body);
    const { id, pending_reason: reason } = isObject(value) ? value : {};
    const verdict = verdicts.get(id);
    if (typeof id === 'string' && reason === 'processing' && verdict !== undefined && verdicts.delete(id))
      void settle(id, verdict, headerValues(exchange.request, 'host')[0] ?? '').catch(() => undefined);
    return answer;
  };
  const trackCarryOut = (exchange: Exchange): Promise<SandboxAnswer> => {
    const work = exchange.carryOut();
    runningWork.add(work);
    return work.finally(() => runningWork.delete(work));
  };
  return {
    hasReceiver: (): boolean => isRegistered,
    carryOut: async (exchange: Exchange, seen: SeenRequest, outcome: Spoiling['outcome']) => {
      while (exclusiveWork !== null) await exclusiveWork;
      if (outcome === null) return recordWork(exchange, seen, await trackCarryOut(exchange));
      const work = (async () => {
        await Promise.allSettled(runningWork);
        const effect = outcome === 'declined' ? { failure: DECLINED } : { pending: true };
        if (outcome === 'expired') postControl(`operations/${seen.operation ?? ''}/expire`, {});
        else postControl('faults', { route: seen.route, kind: 'outcome', ...effect });
        return trackCarryOut(exchange);
      })();
      exclusiveWork = work.catch(() => undefined).then(() => (exclusiveWork = null));
      const answer = await work;
      const seenAnswer = seenAnswerOf(answer);
      if (outcome.startsWith('pending') && seenAnswer.kind === 'readable' && seenAnswer.operation !== null)
        verdicts.set(seenAnswer.operation.id, outcome === 'pending' ? CONFIRMED_LATER : FAILED_LATER);
      return recordWork(exchange, seen, answer);
    },
  };
}

/** Adds members to every object except metadata, because a later version of the service may add some. */
function withNewMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNewMembers);
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, inner]) => [
    name,
    name === 'metadata' ? inner : withNewMembers(inner),
  ]);
  return { added_later: { since: '2.9.0', list: [1, null] }, ...Object.fromEntries(members), also_new: 'x' };
}

const NO_ANSWER: SeenAnswer = { kind: 'none' };

async function spoil(
  exchange: Exchange,
  seen: SeenRequest,
  { name, outcome, isCarriedOut, holdMs, instead }: Spoiling,
  { clock, recorder, signal, hold, kill, carryOut }: RunPorts & ReturnType<typeof carrierOf>,
): Promise<void> {
  seen.fault = name;
  exchange.nameFault(name);
  const answer = isCarriedOut ? await carryOut(exchange, seen, outcome) : null;
  if (holdMs > 0)
    await Promise.race([clock.sleep(holdMs, signal).catch(() => undefined), exchange.whenClientGone]);
  const ownAnswer = answer ?? refusalAnswer({ refusal: 'temporarily_unavailable' });
  const cut = (): void => {
    recorder.recordEnd(seen, NO_ANSWER);
    exchange.cut();
  };
  switch (instead.kind) {
    case 'own':
      return sendAnswer(exchange, seen, ownAnswer, recorder);
    case 'cut':
    case 'killed':
    case 'never':
      if (instead.kind === 'killed') kill();
      if (instead.kind === 'never')
        await untilStopped(hold(exchange.whenClientGone), signal).catch(() => undefined);
      cut();
      return;
    case 'half':
      recorder.recordEnd(seen, { kind: 'unreadable', status: ownAnswer.status });
      return exchange.sendHalf(ownAnswer);
    case 'page': {
      const status = instead.status ?? ownAnswer.status;
      const title = status >= 500 ? `${String(status)} Bad Gateway` : 'It works!';
      const body = Buffer.from(`<!DOCTYPE html>\n<html><body><h1>${title}</h1></body></html>\n`);
      const headers = { 'Content-Type': 'text/html; charset=utf-8' };
      return sendAnswer(exchange, seen, { status, headers, body, interference: null }, recorder);
    }
    case 'error': {
      const { status, code, retryAfterSeconds: seconds } = instead;
      const headersMember = seconds === null ? {} : { headers: { 'Retry-After': String(seconds) } };
      const refusal = code as ErrorCode | 'internal';
      return sendAnswer(exchange, seen, refusalAnswer({ refusal, status, ...headersMember }), recorder);
    }
  }
}

async function sendAnswer(exchange: Exchange, seen: SeenRequest, answer: SandboxAnswer, recorder: Recorder) {
  const { interference, deliveryIds, status } = answer;
  const isWhole = interference === null || interference.kind === 'delay';
  const partialAnswer: SeenAnswer =
    interference?.kind === 'truncated' ? { kind: 'unreadable', status } : NO_ANSWER;
  const seenAnswer = isWhole ? seenAnswerOf(answer) : partialAnswer;
  // An undisturbed answer is recorded before it is sent, because the next request may arrive before `send` returns.
  if (interference === null && deliveryIds === undefined) {
    recorder.recordEnd(seen, seen.endedMs === null ? seenAnswer : NO_ANSWER);
    return exchange.send(answer);
  }
  const heldUntilMs = recorder.nowMs() + (interference?.kind === 'delay' ? interference.delayMs : 0);
  await exchange.send(answer);
  recorder.recordEnd(seen, (seen.endedMs ?? Infinity) < heldUntilMs ? NO_ANSWER : seenAnswer);
}
