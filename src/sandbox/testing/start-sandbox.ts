import { ENVIRONMENT_PATH, ENVIRONMENTS } from '../../contract/access.js';
import { systemClock } from '../../runtime/clock.js';
import { ID_CHOICES } from '../sandbox.js';
import { isObject } from '../../contract/shape.js';
import { readTime } from '../control/call.js';
import { readVariable } from '../../runtime/environment.js';
import { examAddress } from '../beside/exam.js';
import { KEYS_OF_REFUSED } from '../../contract/sandbox-code.js';
import { DELIVERY_STATUSES } from '../store/deliveries.js';
import { checkId, checkTimeout, checkOptions, checkType, quote } from './arguments.js';
import { parseSeconds, UnmetError } from './arguments.js';
import { readAnswer, readList, ControlRefusal, sandboxControl, type SandboxControl } from './control.js';
import { startEngine, type EngineOptions, fetchOf } from './engine.js';
import { startExamEngine } from './exam-engine.js';
import { expireOperation, payFor, settleOperation } from './operations.js';
import { openTestReceiver, type OpenTestReceiver, DEFAULT_TIMEOUT_MS } from './receiver.js';
import { describeSandbox } from './seen.js';
import { activeUrls, importState, seedBytes, stateBytes, exportState } from './state.js';
import type { DeliveryRow, SandboxEnvironment, LoggedExchange, LoggedRequest } from './types.js';
import type { PingToSend, SandboxOperation, StartSandbox, TestSandboxOptions } from './types.js';

export const startSandbox: StartSandbox = async (startOptions = {}) => {
  const { seed, ...engineOptions } = readOptions(startOptions);
  const examUrl = examAddress({ SVC_CERTIFY: readVariable('SVC_CERTIFY') });
  const engine =
    examUrl === null
      ? await startEngine(engineOptions, seed)
      : await startExamEngine(examUrl, engineOptions, seed);
  const { ask, baseUrl } = engine;
  const environment: SandboxEnvironment = engineOptions.live ? 'live' : 'sandbox';
  const servicePath = ENVIRONMENT_PATH[environment];
  const control = sandboxControl(ask);
  const ownRequests = new Set<number>();
  let receivers: OpenTestReceiver[] = [];
  let closing: Promise<void> | null = null;

  const readDeliveries = async (): Promise<DeliveryRow[]> =>
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
    const { secret } = readAnswer(answer, 'The URL of the receiver was not registered') as { secret: string };
    const newestPath = `requests?before=newest&limit=1&method=POST&path=${target}`;
    const { requests } = (await control.get(newestPath)) as { requests: LoggedRequest[] };
    for (const { id } of requests) ownRequests.add(id);
    return secret;
  };
  const closeReceivers = async (why: string, keptUrls: ReadonlySet<string> = new Set()): Promise<void> => {
    const endedReceivers = receivers.filter(({ url }) => !keptUrls.has(url));
    receivers = receivers.filter(({ url }) => keptUrls.has(url));
    await Promise.all(endedReceivers.map((receiver) => receiver.closeBecause(why)));
  };
  const readSandboxText = (message = ''): Promise<string> =>
    describeSandbox(control, ownRequests, message).catch(() => '');
  const close = (): Promise<void> =>
    (closing ??= closeReceivers('the sandbox is closed').then(() => engine.close()));
  const whileOpen =
    <Args extends unknown[], T>(work: (...args: Args) => T | Promise<T>) =>
    async (...args: Args): Promise<T> => {
      if (closing !== null) throw new Error('This sandbox is closed.');
      const run = async (): Promise<T> => work(...args);
      return run().catch(async (error: unknown) => {
        if (!(error instanceof UnmetError)) throw error;
        throw new Error(error.message + (await readSandboxText(error.message)), { cause: error.cause });
      });
    };

  const waitForDeliveries = async (progress: string, hint = ''): Promise<void> => {
    const pending = await engine.waitForDeliveries(DEFAULT_TIMEOUT_MS);
    if (pending.length === 0) return;
    const texts = pending.map(({ delivery, url }) => `${delivery.type} to ${url} (delivery ${delivery.id})`);
    throw new UnmetError(
      `${progress} But after ${String(DEFAULT_TIMEOUT_MS / 1000)} s these deliveries have no answer: ${texts.join(', ')}.${hint}`,
    );
  };
  const readDelivery = async (id: string): Promise<DeliveryRow> => {
    const message = `There is no delivery ${JSON.stringify(id)} in this sandbox.`;
    return (await control.find(`deliveries/${encodeURIComponent(id)}`, message)) as DeliveryRow;
  };

  return {
    ...{ baseUrl, serviceUrl: baseUrl + servicePath, code: engineOptions.code },
    get apiKey() {
      return engine.apiKey;
    },
    fetch: whileOpen(fetchOf(engine)),
    reset: whileOpen(async () => {
      await control.post('reset', {});
      engine.replaceKey();
      ownRequests.clear();
      await closeReceivers('reset() took its registration: make a new one');
    }),
    snapshot: whileOpen(() => exportState(ask)),
    restore: whileOpen(async (state) => {
      engine.replaceKey(await importState(ask, stateBytes('restore', state)));
      ownRequests.clear();
      const why = 'restore() took its registration: make a new one, or register it before the snapshot';
      if (receivers.length > 0) await closeReceivers(why, await activeUrls(control));
    }),
    advance: whileOpen(async (duration, options = {}) => {
      checkOptions('advance', options, ['deliveries']);
      const body = { advance_seconds: parseSeconds(duration) };
      const { now } = (await control.post('clock', body)) as { now: string };
      if (options.deliveries !== false)
        await waitForDeliveries(
          `The clock is at ${now}.`,
          ` advance('${duration}', { deliveries: false }) does not wait for them.`,
        );
      return now;
    }),
    pay: whileOpen((id, changes = {}, options = {}) => payFor(control, id, changes, options)),
    settle: whileOpen((id, failure) => settleOperation(control, id, failure)),
    expire: whileOpen((id) => expireOperation(control, id)),
    fault: whileOpen(async (fault) => {
      if (!isObject(fault))
        throw new TypeError(
          `fault() takes a fault, for example { route: 'payins.create', status: 503 }, and not ${quote(fault)}`,
        );
      return ((await control.post('faults', fault)) as { armed: number }).armed;
    }),
    clearFaults: whileOpen(async () => {
      const { cleared } = (await control.post('faults/clear', {})) as { cleared: number };
      await waitForDeliveries('The faults are gone.');
      return cleared;
    }),
    key: whileOpen(async (options = {}) => {
      checkOptions('key', options, ['company', 'scopes', 'environment', 'created_by']);
      return ((await control.post('keys', { environment, ...options })) as { api_key: string }).api_key;
    }),
    ping: whileOpen(async (options = {}) => {
      const id = await ping(control, { environment, ...options });
      await waitForDeliveries('The ping is sent.');
      return readDelivery(id);
    }),
    resend: whileOpen(async (id) => {
      await readDelivery(checkId('resend', 'a delivery', id));
      await control.post(`deliveries/${encodeURIComponent(id)}/resend`, {});
      await waitForDeliveries('It is sent again.');
      return readDelivery(id);
    }),
    requests: whileOpen(async (filter = {}) => {
      checkOptions('requests', filter, ['status', 'method', 'path']);
      const requests = (await readList(control, 'requests', filter)) as LoggedRequest[];
      return requests.filter(({ id }) => !ownRequests.has(id));
    }),
    request: whileOpen(async (id) => {
      if (typeof id !== 'number')
        throw new TypeError(`request() takes the number of a request, and not ${quote(id)}`);
      const message = `There is no request ${quote(id)} in this sandbox. It keeps the last 1,000: requests() lists them.`;
      return (await control.find(`requests/${encodeURIComponent(String(id))}`, message)) as LoggedExchange;
    }),
    operations: whileOpen(async (filter = {}) => {
      checkOptions('operations', filter, ['status', 'search', 'waits']);
      return (await readList(control, 'operations', filter)) as SandboxOperation[];
    }),
    deliveries: whileOpen(readDeliveries),
    receiver: whileOpen(async (options = {}) => {
      const receiver = await openTestReceiver(options, register, readSandboxText);
      receivers.push(receiver);
      return receiver;
    }),
    waitForDelivery: whileOpen(async (type, options = {}) => {
      checkType('waitForDelivery', type);
      checkOptions('waitForDelivery', options, ['status', 'timeoutMs']);
      const { status = 'delivered' } = options;
      if (!DELIVERY_STATUSES.includes(status))
        throw new TypeError(
          `No delivery can be ${quote(status)}: waitForDelivery() takes ${DELIVERY_STATUSES.join(', ')}`,
        );
      const timeoutMs = checkTimeout('waitForDelivery', options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
      const untilMs = systemClock.monotonic() + timeoutMs;
      for (;;) {
        const rows = await readDeliveries();
        const row = rows.find((one) => one.status === status && (type === undefined || one.type === type));
        if (row !== undefined) return row;
        if (systemClock.monotonic() >= untilMs)
          throw new UnmetError(
            `No delivery${type === undefined ? '' : ` of ${type}`} was ${status} within ${String(timeoutMs)} ms. There are: ${listDeliveries(rows)}.`,
          );
        await systemClock.sleep(POLL_MS);
      }
    }),
    close,
    [Symbol.asyncDispose]: close,
  };
};

const POLL_MS = 5;

async function ping(control: SandboxControl, options: PingToSend): Promise<string> {
  checkOptions('ping', options, ['company', 'environment']);
  if (!ENVIRONMENTS.some((one) => one === options.environment))
    throw new TypeError(
      `ping() has no environment ${quote(options.environment)}: there are ${ENVIRONMENTS.join(', ')}`,
    );
  try {
    return ((await control.post('ping', options)) as { delivery_id: string }).delivery_id;
  } catch (error) {
    if (!(error instanceof ControlRefusal)) throw error;
    const { company = 'default', environment } = options;
    throw new UnmetError(
      `Nothing was sent: the company ${quote(company)} has registered no URL in ${String(environment)}.`,
      { cause: error },
    );
  }
}

function listDeliveries(deliveries: readonly DeliveryRow[]): string {
  if (deliveries.length === 0) return 'none (no URL may be registered)';
  return deliveries
    .map(({ type, status, attempts }) => {
      const last = attempts.at(-1);
      const result = last === undefined ? 'not tried yet' : (last.error ?? String(last.status));
      return `${type} ${status} (${result})`;
    })
    .join(', ');
}

const OPTION_NAMES = ['port', 'code', 'live', 'settleAfterSeconds', 'keys_of_refused', 'seed', 'now', 'ids'];
const PORT_MAX = 65_535;

function readOptions(options: TestSandboxOptions): EngineOptions & { readonly seed: Uint8Array | null } {
  checkOptions('startSandbox', options, OPTION_NAMES);
  const { port = 0, code = '123456', live = false, settleAfterSeconds = 0 } = options;
  const { keys_of_refused: keysOfRefused = 'forget' } = options;
  if (port !== null && !isWholeNumber(port, PORT_MAX))
    throw new TypeError(`port must be a whole number from 0 to ${String(PORT_MAX)}, or null for none`);
  if (typeof code !== 'string' || !/^[0-9]{6}$/.test(code)) throw new TypeError('code must be six digits');
  if (typeof live !== 'boolean') throw new TypeError('live is true or false');
  if (!isWholeNumber(settleAfterSeconds, Number.MAX_SAFE_INTEGER / 1000))
    throw new TypeError('settleAfterSeconds must be a whole number');
  if (!KEYS_OF_REFUSED.includes(keysOfRefused))
    throw new TypeError("keys_of_refused is 'forget' or 'remember'");
  const { ids = 'random' } = options;
  if (!ID_CHOICES.includes(ids)) throw new TypeError("ids is 'fixed' or 'random'");
  const now = options.now === undefined ? null : readTime(options.now);
  if (options.now !== undefined && now === null)
    throw new TypeError(
      `now is the time at which the clock begins, in UTC, for example '2026-01-05T09:00:00Z', and not ${quote(options.now)}`,
    );
  if (now !== null && options.seed !== undefined)
    throw new TypeError('Give now or seed, not both: the clock of a seed begins at the now of that state');
  const seed = options.seed === undefined ? null : seedBytes(options.seed);
  return { port, code, live, settleAfterSeconds, keys_of_refused: keysOfRefused, now, ids, seed };
}

const isWholeNumber = (value: unknown, max: number): boolean =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= max;
