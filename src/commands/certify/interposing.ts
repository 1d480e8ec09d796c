/** The interposer of an exam: writes each request down, does to it what its case says, and counts the scopes that resets make. */
import type { RunPlan } from './run.js';
import type { Transport } from '../../runtime/transport.js';
import type { Spoiling } from '../../certify/client-exam.js';
import type { SeenRequest } from '../../certify/seen.js';
import { jsonIn } from '../../contract/json.js';
import { isObject } from '../../contract/shape.js';
import { CONTROL_PATH } from '../../sandbox/control/control.js';
import type { Exchange, Interposer } from '../../sandbox/interposer.js';
import type { SandboxAnswer, SandboxRequest } from '../../sandbox/message.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Hooks } from './hooks.js';
import { withMembers } from './members.js';
import { toldBy } from './recorder.js';
import { sendTold, spoil, type SpoilingPorts } from './spoiling.js';

/** What the sandboxes of a run have in common. */
export interface RunPorts extends Omit<SpoilingPorts, 'carryOut'> {
  readonly plan: RunPlan;
  readonly hooks: Hooks;
  /** The way to the sandbox's own control. */
  readonly transport: Transport;
  /** Called for each request before anything becomes of it. */
  readonly onArrival: (seen: SeenRequest) => void;
  /** Whether the fault of the case is over: the command was started again. */
  readonly isSpared: () => boolean;
}

/** How long a payment that is pending by its case stays so. */
const PENDING_MS = 2000;
const DECLINED = { code: 'limit_exceeded', reason: 'daily_limit' };
const CONTROL_TIMEOUT_MS = 10_000;

/** @param scope its name changes with each reset */
export function examInterposer(
  sandbox: Sandbox,
  scope: { readonly sandbox: number; resets: number },
  ports: RunPorts,
): Interposer {
  const { recorder, plan, hooks } = ports;
  const carrying = carrierOf(sandbox, ports);
  const through = async (exchange: Exchange, seen: SeenRequest): Promise<void> => {
    const answer = await carrying.carryOut(exchange, seen, null);
    const told = plan.fault === 'members' ? withMembers(answer) : answer;
    const event = plan.fault === 'hooks-first' ? eventOf(seen, answer) : null;
    if (event !== null && carrying.hasReceiver()) await hooks.handled(event);
    await sendTold(exchange, seen, told, recorder);
  };
  return async (exchange) => {
    const { request } = exchange;
    if (request.target.startsWith(CONTROL_PATH)) {
      if (isReset(request)) {
        recorder.look(scopeName(scope), sandbox.handle);
        scope.resets += 1;
      }
      return exchange.send(await exchange.carryOut());
    }
    const seen = recorder.arrived(request, scopeName(scope));
    void exchange.gone.then(() => recorder.left(seen));
    ports.onArrival(seen);
    const spoiling = ports.isSpared() ? null : plan.aim(recorder.requests.slice(0, -1), seen);
    if (spoiling === null) return through(exchange, seen);
    await spoil(exchange, seen, spoiling, { ...ports, carryOut: carrying.carryOut });
  };
}

/** The sandbox, and how often it was emptied. */
export function scopeName({
  sandbox,
  resets,
}: {
  readonly sandbox: number;
  readonly resets: number;
}): string {
  return `${String(sandbox)}.${String(resets)}`;
}

function isReset({ method, target }: SandboxRequest): boolean {
  const [path] = target.split('?', 1);
  return (
    (method === 'POST' && path === `${CONTROL_PATH}reset`) ||
    (method === 'PUT' && path === `${CONTROL_PATH}state`)
  );
}

/** The operation of which an event tells; null where the request brought none. */
function eventOf({ method }: SeenRequest, answer: SandboxAnswer): string | null {
  const told = toldBy(answer);
  if (method !== 'POST' || told.kind !== 'answer' || told.operation === null) return null;
  return told.operation.status === 'pending' ? null : told.operation.id;
}

interface Carrier {
  readonly carryOut: SpoilingPorts['carryOut'];
  /** Whether a URL was registered. */
  readonly hasReceiver: () => boolean;
}

/** Carries requests out; what the bank is told first is for one of them alone, whatever comes beside it. */
function carrierOf(sandbox: Sandbox, { recorder, transport, clock, signal }: RunPorts): Carrier {
  const underWay = new Set<Promise<unknown>>();
  let alone: Promise<unknown> | null = null;
  let isRegistered = false;
  /** Operations that are settled some time after they are processing. */
  const unsettled = new Set<string>();
  const control = (path: string, body: object): void => {
    const bytes = Buffer.from(JSON.stringify(body));
    sandbox.handle({
      method: 'POST',
      target: `${CONTROL_PATH}${path}`,
      headers: [['host', 'localhost']],
      body: bytes,
    });
  };
  const say = (first: NonNullable<Spoiling['first']>, seen: SeenRequest): void => {
    const outcome = first === 'declined' ? { failure: DECLINED } : { pending: true };
    if (first === 'expired') control(`operations/${seen.operation ?? ''}/expire`, {});
    else control('faults', { route: seen.route, kind: 'outcome', ...outcome });
  };
  const settle = async (id: string, port: string): Promise<void> => {
    await clock.sleep(PENDING_MS, signal);
    const body = Buffer.from('{"status":"confirmed"}');
    const url = `http://${port}${CONTROL_PATH}operations/${id}/settle`;
    const headers = { 'Content-Type': 'application/json' };
    await transport({ method: 'POST', url, headers, body }, { timeoutMs: CONTROL_TIMEOUT_MS, signal });
  };
  const noted = (exchange: Exchange, seen: SeenRequest, answer: SandboxAnswer): SandboxAnswer => {
    recorder.carriedOut(seen, answer);
    if (seen.route === 'webhooks.register' && answer.status < 300) isRegistered = true;
    const value = jsonIn(answer.body);
    const { id, pending_reason: reason } = isObject(value) ? value : {};
    if (typeof id === 'string' && reason === 'processing' && unsettled.delete(id))
      void settle(id, hostOf(exchange)).catch(() => undefined);
    return answer;
  };
  const carry = async (exchange: Exchange): Promise<SandboxAnswer> => {
    const work = exchange.carryOut();
    underWay.add(work);
    try {
      return await work;
    } finally {
      underWay.delete(work);
    }
  };
  return {
    hasReceiver: () => isRegistered,
    carryOut: async (exchange, seen, first) => {
      while (alone !== null) await alone;
      if (first === null) return noted(exchange, seen, await carry(exchange));
      const work = (async () => {
        await Promise.allSettled(underWay);
        say(first, seen);
        return carry(exchange);
      })();
      alone = work.catch(() => undefined).then(() => (alone = null));
      const answer = await work;
      const told = toldBy(answer);
      if (first === 'pending' && told.kind === 'answer' && told.operation !== null)
        unsettled.add(told.operation.id);
      return noted(exchange, seen, answer);
    },
  };
}

/** Its own address, as the client typed it. */
function hostOf({ request }: Exchange): string {
  return request.headers.find(([name]) => name.toLowerCase() === 'host')?.[1] ?? '';
}
