/** `startSandbox` of `@svc-cli/svc/testing`: the whole service in the process of a test. */
import { ENVIRONMENT_PATH } from '../contract/access.js';
import { durationMs } from '../cli/line/moment.js';
import { systemClock } from '../runtime/clock.js';
import { answered, sandboxControl, everyPage, payFor } from './control.js';
import { startEngine, type Engine, fetchOf } from './engine.js';
import { openTestReceiver, type OpenTestReceiver, PATIENCE_MS, waitFor } from './receiver.js';
import type { Logged, LoggedWhole } from '../sandbox/log/logged.js';
import type { DeliveryRow, SandboxOperation, StartSandbox, TestSandboxOptions } from './types.js';

/** Nobody listens there: what is sent to it by mistake goes nowhere. */
const NO_PORT = 0;

export const startSandbox: StartSandbox = async (given = {}) => {
  const options = readOptions(given);
  const engine = await startEngine(options);
  const { handle, apiKey } = engine;
  const baseUrl = `http://127.0.0.1:${String(engine.port ?? NO_PORT)}`;
  const servicePath = ENVIRONMENT_PATH[options.live ? 'live' : 'sandbox'];
  const control = sandboxControl(handle);
  /** Requests that the kit itself made. */
  const own = new Set<number>();
  const send = fetchOf(handle, baseUrl, systemClock);
  let receivers: OpenTestReceiver[] = [];
  let closing: Promise<void> | null = null;

  const deliveries = (): DeliveryRow[] =>
    (control.get('deliveries') as { deliveries: DeliveryRow[] }).deliveries;
  const register = (url: string): string => {
    const { secret } = registerAt(engine, `${servicePath}/v2/webhook-endpoints`, url);
    const { requests } = control.get(`requests?before=${NEWEST}&limit=1`) as { requests: Logged[] };
    const [last] = requests;
    if (last !== undefined) own.add(last.id);
    return secret;
  };
  const closeReceivers = async (why: string): Promise<void> => {
    const open = receivers;
    receivers = [];
    await Promise.all(open.map((receiver) => receiver.closeBecause(why)));
  };
  const end = async (): Promise<void> => {
    await closeReceivers('the sandbox is closed');
    await engine.close();
  };
  const close = (): Promise<void> => (closing ??= end());
  /** What nothing waits for is a promise all the same: a mistake rejects, and does not throw. */
  const later = <T>(work: () => T | Promise<T>): Promise<T> =>
    closing === null
      ? new Promise((resolve) => resolve(work()))
      : Promise.reject(new Error('This sandbox is closed.'));

  return {
    ...{ baseUrl, serviceUrl: baseUrl + servicePath, apiKey, code: options.code },
    fetch: (input, init) => later(() => send(input, init)),
    reset: async () => {
      await later(() => control.post('reset', {}));
      engine.restoreKey();
      own.clear();
      await closeReceivers('reset() took its registration: make a new one');
    },
    advance: (duration) =>
      later(() => {
        const seconds = durationMs(duration, 'advance') / 1000;
        return (control.post('clock', { advance_seconds: seconds }) as { now: string }).now;
      }),
    pay: (id, differing = {}) => later(() => payFor(control, id, differing)),
    fault: (fault) => later(() => (control.post('faults', fault) as { armed: number }).armed),
    requests: (filter = {}) =>
      later(() => (everyPage(control, 'requests', filter) as Logged[]).filter(({ id }) => !own.has(id))),
    request: (id) => later(() => control.get(`requests/${encodeURIComponent(id)}`) as LoggedWhole),
    operations: (filter = {}) => later(() => everyPage(control, 'operations', filter) as SandboxOperation[]),
    deliveries: () => later(deliveries),
    receiver: async () => {
      const receiver = await later(() => openTestReceiver({ register, deliveries, clock: systemClock }));
      receivers.push(receiver);
      return receiver;
    },
    waitForDelivery: (type, { status = 'delivered', timeoutMs = PATIENCE_MS } = {}) => {
      const isWanted = (row: DeliveryRow): boolean =>
        row.status === status && (type === undefined || row.type === type);
      const inVain = (): string =>
        `No delivery${type === undefined ? '' : ` of ${type}`} was ${status} within ${String(timeoutMs)} ms. There are: ${listed(deliveries())}.`;
      return later(() => waitFor(() => deliveries().find(isWanted), inVain, timeoutMs, systemClock));
    },
    close,
    [Symbol.asyncDispose]: close,
  };
};

/** Larger than the id of any request. */
const NEWEST = '999999999999999';

function registerAt({ handle, apiKey }: Engine, target: string, url: string): { readonly secret: string } {
  const answer = handle({
    method: 'POST',
    target,
    headers: [
      ['host', 'localhost'],
      ['authorization', `Bearer ${apiKey}`],
      ['content-type', 'application/json'],
    ],
    body: Buffer.from(JSON.stringify({ url })),
  });
  return answered(answer, 'The URL of the receiver was not registered') as { readonly secret: string };
}

function listed(deliveries: readonly DeliveryRow[]): string {
  if (deliveries.length === 0) return 'none (no URL may be registered)';
  return deliveries
    .map(({ type, status, attempts }) => {
      const last = attempts.at(-1);
      const how = last === undefined ? 'not tried yet' : (last.error ?? String(last.status));
      return `${type} ${status} (${how})`;
    })
    .join(', ');
}

const NAMES: readonly string[] = ['port', 'code', 'live', 'settleAfterSeconds'];
const PORT_MAX = 65_535;

/** @throws TypeError */
function readOptions(options: TestSandboxOptions): Required<TestSandboxOptions> {
  const unknown = Object.keys(options).find((name) => !NAMES.includes(name));
  if (unknown !== undefined)
    throw new TypeError(`startSandbox has no option ${unknown}: there are ${NAMES.join(', ')}`);
  const { port = 0, code = '123456', live = false, settleAfterSeconds = 0 } = options;
  if (port !== null && !isWhole(port, PORT_MAX))
    throw new TypeError(`port must be a whole number from 0 to ${String(PORT_MAX)}, or null for none`);
  if (typeof code !== 'string' || !/^[0-9]{6}$/.test(code)) throw new TypeError('code must be six digits');
  if (typeof live !== 'boolean') throw new TypeError('live is true or false');
  if (!isWhole(settleAfterSeconds, Number.MAX_SAFE_INTEGER / 1000))
    throw new TypeError('settleAfterSeconds must be a whole number');
  return { port, code, live, settleAfterSeconds };
}

function isWhole(value: unknown, max: number): boolean {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= max;
}
