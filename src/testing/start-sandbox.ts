/** `startSandbox` of `@svc-cli/svc/testing`: the whole service in the process of a test. */
import { ENVIRONMENT_PATH, ENVIRONMENTS } from '../contract/access.js';
import { systemClock } from '../runtime/clock.js';
import { variable } from '../runtime/environment.js';
import { examAddress } from '../cli/beside/exam.js';
import { KEYS_OF_REFUSED } from '../sandbox/default-code.js';
import { idIn, patienceIn, refuseOthers, refuseOtherType, inWords, secondsIn } from './arguments.js';
import { answered, everyPage, Refused, sandboxControl, type SandboxControl } from './control.js';
import { startEngine, type EngineOptions, fetchOf } from './engine.js';
import { startAtExam } from './exam-engine.js';
import { expireOperation, payFor, settleOperation } from './operations.js';
import { openTestReceiver, type OpenTestReceiver, PATIENCE_MS, waitFor } from './receiver.js';
import { activeUrls, putState, seedBytes, stateBytes, takeState } from './state.js';
import type {
  DeliveryRow,
  DeliveryState,
  SandboxEnvironment,
  FaultToArm,
  LoggedExchange,
  LoggedRequest,
  PingToSend,
  SandboxOperation,
  StartSandbox,
  TestSandboxOptions,
} from './types.js';

export const startSandbox: StartSandbox = async (given = {}) => {
  const options = readOptions(given);
  const { seed, ...rest } = options;
  const exam = examAddress({ SVC_CERTIFY: variable('SVC_CERTIFY') });
  const engine = exam === null ? await startEngine(rest, seed) : await startAtExam(exam, rest, seed);
  const { ask, baseUrl } = engine;
  const environment: SandboxEnvironment = options.live ? 'live' : 'sandbox';
  const servicePath = ENVIRONMENT_PATH[environment];
  const control = sandboxControl(ask);
  /** Requests that the kit itself made. */
  const own = new Set<number>();
  const send = fetchOf(engine);
  let receivers: OpenTestReceiver[] = [];
  let closing: Promise<void> | null = null;

  const deliveries = async (): Promise<DeliveryRow[]> =>
    ((await control.get('deliveries')) as { deliveries: DeliveryRow[] }).deliveries;
  const register = async (url: string): Promise<string> => {
    const target = `${servicePath}/v2/webhook-endpoints`;
    const answer = await ask({
      ...{ method: 'POST', target, body: Buffer.from(JSON.stringify({ url })) },
      headers: [
        ['host', 'localhost'],
        ['authorization', `Bearer ${engine.apiKey}`],
        ['content-type', 'application/json'],
      ],
    });
    const { secret } = answered(answer, 'The URL of the receiver was not registered') as { secret: string };
    const list = `requests?before=${NEWEST}&limit=1&method=POST&path=${target}`;
    const { requests } = (await control.get(list)) as { requests: LoggedRequest[] };
    const [last] = requests;
    if (last !== undefined) own.add(last.id);
    return secret;
  };
  const closeReceivers = async (why: string, staying: ReadonlySet<string> = new Set()): Promise<void> => {
    const open = receivers.filter(({ url }) => !staying.has(url));
    receivers = receivers.filter(({ url }) => staying.has(url));
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

  /** What is due was attempted and answered when it resolves. @param done what has happened all the same, and @param hint, as sentences */
  const delivered = async (done: string, hint = ''): Promise<void> => {
    const left = await engine.answered(PATIENCE_MS);
    if (left.length === 0) return;
    const named = left.map(({ delivery, url }) => `${delivery.type} to ${url} (delivery ${delivery.id})`);
    throw new Error(
      `${done} But after ${String(PATIENCE_MS / 1000)} s these deliveries have no answer: ${named.join(', ')}.${hint}`,
    );
  };
  const deliveryOf = async (id: string): Promise<DeliveryRow> => {
    const missing = `There is no delivery ${JSON.stringify(id)} in this sandbox.`;
    return (await control.find(`deliveries/${encodeURIComponent(id)}`, missing)) as DeliveryRow;
  };

  return {
    ...{ baseUrl, serviceUrl: baseUrl + servicePath, code: options.code },
    get apiKey() {
      return engine.apiKey;
    },
    fetch: (input, init) => later(() => send(input, init)),
    reset: async () => {
      await later(() => control.post('reset', {}));
      await engine.restoreKey();
      own.clear();
      await closeReceivers('reset() took its registration: make a new one');
    },
    snapshot: () => later(() => takeState(ask)),
    restore: async (state) => {
      await engine.restoreKey(await later(() => putState(ask, stateBytes('restore', state))));
      own.clear();
      const why = 'restore() took its registration: make a new one, or register it before the snapshot';
      if (receivers.length > 0) await closeReceivers(why, await activeUrls(control));
    },
    advance: (duration, given = {}) =>
      later(async () => {
        refuseOthers('advance', given, ['deliveries']);
        const body = { advance_seconds: secondsIn(duration) };
        const { now } = (await control.post('clock', body)) as { now: string };
        if (given.deliveries !== false)
          await delivered(
            `The clock is at ${now}.`,
            ` advance('${duration}', { deliveries: false }) does not wait for them.`,
          );
        return now;
      }),
    pay: (id, differing = {}, given = {}) => later(() => payFor(control, id, differing, given)),
    settle: (id, failure) => later(() => settleOperation(control, id, failure)),
    expire: (id) => later(() => expireOperation(control, id)),
    fault: (fault) => later(() => arm(control, fault)),
    clearFaults: () =>
      later(async () => {
        const { cleared } = (await control.post('faults/clear', {})) as { cleared: number };
        await delivered('The faults are gone.');
        return cleared;
      }),
    key: (given = {}) =>
      later(async () => {
        refuseOthers('key', given, ['company', 'scopes', 'environment', 'created_by']);
        return ((await control.post('keys', { environment, ...given })) as { api_key: string }).api_key;
      }),
    ping: (given = {}) =>
      later(async () => {
        const id = await ping(control, { environment, ...given });
        await delivered('The ping is sent.');
        return deliveryOf(id);
      }),
    resend: (id) =>
      later(async () => {
        await deliveryOf(idIn('resend', 'a delivery', id));
        await control.post(`deliveries/${encodeURIComponent(id)}/resend`, {});
        await delivered('It is sent again.');
        return deliveryOf(id);
      }),
    requests: (filter = {}) =>
      later(async () => {
        refuseOthers('requests', filter, ['status', 'method', 'path']);
        const all = (await everyPage(control, 'requests', filter)) as LoggedRequest[];
        return all.filter(({ id }) => !own.has(id));
      }),
    request: (id) =>
      later(async () => {
        if (typeof id !== 'number')
          throw new TypeError(`request() takes the number of a request, and not ${inWords(id)}`);
        const missing = `There is no request ${inWords(id)} in this sandbox. It keeps the last 1,000: requests() lists them.`;
        return (await control.find(`requests/${encodeURIComponent(String(id))}`, missing)) as LoggedExchange;
      }),
    operations: (filter = {}) =>
      later(async () => {
        refuseOthers('operations', filter, ['status', 'search', 'waits']);
        return (await everyPage(control, 'operations', filter)) as SandboxOperation[];
      }),
    deliveries: () => later(deliveries),
    receiver: async (given = {}) => {
      const receiver = await later(() => openTestReceiver(given, systemClock, register, deliveries));
      receivers.push(receiver);
      return receiver;
    },
    waitForDelivery: (type, given = {}) =>
      later(() => {
        refuseOtherType('waitForDelivery', type);
        refuseOthers('waitForDelivery', given, ['status', 'timeoutMs']);
        const { status = 'delivered' } = given;
        if (!DELIVERY_STATES.includes(status))
          throw new TypeError(
            `No delivery can be ${inWords(status)}: waitForDelivery() takes ${DELIVERY_STATES.join(', ')}`,
          );
        const timeoutMs = patienceIn('waitForDelivery', given.timeoutMs ?? PATIENCE_MS);
        const isWanted = (row: DeliveryRow): boolean =>
          row.status === status && (type === undefined || row.type === type);
        const inVain = async (): Promise<string> =>
          `No delivery${type === undefined ? '' : ` of ${type}`} was ${status} within ${String(timeoutMs)} ms. There are: ${listed(await deliveries())}.`;
        return waitFor(async () => (await deliveries()).find(isWanted), inVain, timeoutMs, systemClock);
      }),
    close,
    [Symbol.asyncDispose]: close,
  };
};

/** Larger than the id of any request. */
const NEWEST = '999999999999999';

const DELIVERY_STATES: readonly DeliveryState[] = ['pending', 'delivered', 'exhausted'];

/** What is wrong with its members the control says. @throws TypeError for no fault at all; Refused */
async function arm(control: SandboxControl, fault: FaultToArm): Promise<number> {
  if (typeof fault !== 'object' || (fault as object | null) === null || Array.isArray(fault))
    throw new TypeError(
      `fault() takes a fault, for example { route: 'payins.create', status: 503 }, and not ${inWords(fault)}`,
    );
  return ((await control.post('faults', fault)) as { armed: number }).armed;
}

/** The id of its delivery. @throws Error where there is no URL */
async function ping(control: SandboxControl, given: PingToSend): Promise<string> {
  refuseOthers('ping', given, ['company', 'environment']);
  if (!ENVIRONMENTS.some((known) => known === given.environment))
    throw new TypeError(
      `ping() has no environment ${inWords(given.environment)}: there are ${ENVIRONMENTS.join(', ')}`,
    );
  try {
    return ((await control.post('ping', given)) as { delivery_id: string }).delivery_id;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { company = 'default', environment } = given;
    throw new Error(
      `Nothing was sent: the company ${inWords(company)} has registered no URL in ${String(environment)}.`,
      { cause: error },
    );
  }
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

const NAMES: readonly string[] = ['port', 'code', 'live', 'settleAfterSeconds', 'keys_of_refused', 'seed'];
const PORT_MAX = 65_535;

/** @throws TypeError */
function readOptions(options: TestSandboxOptions): EngineOptions & { readonly seed: Uint8Array | null } {
  refuseOthers('startSandbox', options, NAMES);
  const { port = 0, code = '123456', live = false, settleAfterSeconds = 0 } = options;
  const { keys_of_refused: keysOfRefused = 'forget' } = options;
  if (port !== null && !isWhole(port, PORT_MAX))
    throw new TypeError(`port must be a whole number from 0 to ${String(PORT_MAX)}, or null for none`);
  if (typeof code !== 'string' || !/^[0-9]{6}$/.test(code)) throw new TypeError('code must be six digits');
  if (typeof live !== 'boolean') throw new TypeError('live is true or false');
  if (!isWhole(settleAfterSeconds, Number.MAX_SAFE_INTEGER / 1000))
    throw new TypeError('settleAfterSeconds must be a whole number');
  if (!KEYS_OF_REFUSED.includes(keysOfRefused))
    throw new TypeError("keys_of_refused is 'forget' or 'remember'");
  const seed = options.seed === undefined ? null : seedBytes(options.seed);
  return { port, code, live, settleAfterSeconds, keys_of_refused: keysOfRefused, seed };
}

function isWhole(value: unknown, max: number): boolean {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= max;
}
