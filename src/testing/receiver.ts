/** A receiver for a test: a url on this machine whose events are verified, kept, and handed out one by one. */
import type { Clock } from '../runtime/clock.js';
import { refuseOthers, refuseOtherType, patienceIn, inWords } from './arguments.js';
import { serveReceiver } from '../webhook/receiver-server.js';
import type { Received, Reply } from '../webhook/reception.js';
import { verify } from '../webhook/verification.js';
import type {
  DeliveryRow,
  SandboxEventType,
  ReceivedDelivery,
  ReceivedEvent,
  ReceiverAnswers,
  ReceiverOptions,
  TestReceiver,
} from './types.js';

export interface OpenTestReceiver extends TestReceiver {
  /** @param why what a wait ends with from now on */
  closeBecause(why: string): Promise<void>;
}

interface Waiting {
  readonly type: SandboxEventType | undefined;
  readonly take: (event: ReceivedEvent) => void;
  readonly giveUp: (why: string) => void;
}

/**
 * @param register makes the url the one to which events go, and says with which secret they are signed
 * @param deliveries for what is said of a wait that was in vain
 */
export async function openTestReceiver(
  options: ReceiverOptions,
  clock: Clock,
  register: (url: string) => Promise<string>,
  deliveries: () => Promise<readonly DeliveryRow[]>,
): Promise<OpenTestReceiver> {
  const answersOf = answersIn(options);
  const [events, rejected, untaken]: [ReceivedEvent[], string[], ReceivedEvent[]] = [[], [], []];
  const arrivals: ReceivedDelivery[] = [];
  let waiting: Waiting[] = [];
  let closed: string | null = null;
  const registered = Promise.withResolvers<string>();

  const reception = async ({ method, headers, body }: Received): Promise<Reply | null> => {
    if (method !== 'POST') return reply(405, 'Deliveries are POST requests.');
    const secrets = [await registered.promise];
    const verdict = verify({ headers, body }, { secrets, nowMs: clock.now() });
    if (!verdict.accepted) {
      rejected.push(`${verdict.reason}: ${verdict.message}`);
      return reply(verdict.reason === 'signature_mismatch' ? 401 : 400, verdict.message);
    }
    const event = verdict.event as unknown as ReceivedEvent;
    const before = arrivals.filter((one) => one.event.id === event.id).length;
    const delivery: ReceivedDelivery = {
      ...{ event, attempt: before + 1, body: Buffer.from(body).toString('utf8') },
      headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
    };
    arrivals.push(delivery);
    if (before === 0) arrived(event);
    return answered(delivery);
  };

  const answered = async (delivery: ReceivedDelivery): Promise<Reply | null> => {
    try {
      const asked = (await answersOf(delivery)) ?? 200;
      if (asked === 'cut') return null;
      // Nobody waits for it longer than the service does, which cuts the connection then.
      if (asked === 'slow') return await new Promise<never>(() => undefined);
      return reply(statusIn(asked), 'Received.');
    } catch (error) {
      rejected.push(`answer() of this receiver failed: ${String(error)}`);
      return reply(500, 'answer() of this receiver failed.');
    }
  };

  const arrived = (event: ReceivedEvent): void => {
    events.push(event);
    const first = waiting.find(({ type }) => type === undefined || type === event.type);
    if (first === undefined) untaken.push(event);
    else first.take(event);
  };

  const server = await serveReceiver(reception, 0);
  server.unref();
  const url = `http://127.0.0.1:${String(server.port)}/`;
  const secret = await register(url).catch(async (error: unknown) => {
    await server.close();
    throw error;
  });
  registered.resolve(secret);

  const closeBecause = async (why: string): Promise<void> => {
    if (closed !== null) return;
    closed = why;
    for (const { giveUp } of waiting) giveUp(why);
    server.cut();
    await server.close();
  };

  const next = async (
    type?: SandboxEventType,
    wait: { readonly timeoutMs?: number } = {},
  ): Promise<ReceivedEvent> => {
    refuseOtherType('next', type);
    refuseOthers('next', wait, ['timeoutMs']);
    const timeoutMs = patienceIn('next', wait.timeoutMs ?? PATIENCE_MS);
    const at = untaken.findIndex((event) => type === undefined || type === event.type);
    const [ready] = at === -1 ? [] : untaken.splice(at, 1);
    if (ready !== undefined) return ready;
    const what = type ?? 'event';
    if (closed !== null) throw new Error(`No ${what} arrives any more: ${closed}.`);
    return new Promise((resolve, reject) => {
      const timer = new AbortController();
      const done = (): void => {
        timer.abort();
        waiting = waiting.filter((one) => one !== mine);
      };
      const mine: Waiting = {
        type,
        take: (event) => {
          done();
          resolve(event);
        },
        giveUp: (why) => {
          done();
          reject(new Error(`No ${what} arrived: ${why}.`));
        },
      };
      waiting.push(mine);
      clock.sleep(timeoutMs, timer.signal).then(
        async () => {
          const owed = await deliveries().catch(() => []);
          mine.giveUp(`none within ${String(timeoutMs)} ms. ${listed(events, rejected, owed)}`);
        },
        () => undefined,
      );
    });
  };

  return {
    url,
    secret,
    events,
    deliveries: arrivals,
    rejected,
    closeBecause,
    close: () => closeBecause('this receiver is closed'),
    next: next as TestReceiver['next'],
  };
}

/** What it answers to each delivery. @throws TypeError */
function answersIn(options: ReceiverOptions): ReceiverAnswers {
  refuseOthers('receiver', options, ['answer']);
  const { answer = 200 } = options;
  if (typeof answer === 'function') return answer;
  if (answer === 'twice') return ({ attempt }) => (attempt === 1 ? 'cut' : 200);
  if (answer !== 'slow' && answer !== 'cut') statusIn(answer);
  return () => answer;
}

/** @throws TypeError */
function statusIn(answer: unknown): number {
  if (Number.isInteger(answer) && (answer as number) >= 200 && (answer as number) <= 599)
    return answer as number;
  throw new TypeError(
    `receiver() can't answer with ${inWords(answer)}: give a status from 200 to 599, 'slow', 'cut', 'twice', or a function that returns one of the first three`,
  );
}

function reply(status: number, message: string): Reply {
  return { status, headers: {}, body: JSON.stringify({ message }) };
}

/** What did arrive, what was turned away, and what is still owed. */
function listed(
  events: readonly ReceivedEvent[],
  rejected: readonly string[],
  deliveries: readonly DeliveryRow[],
): string {
  const came = events.map(({ type, data }) => `${type} of ${data.id}`);
  const owed = deliveries.filter(({ status }) => status === 'pending');
  return [
    `What did arrive: ${came.length === 0 ? 'nothing' : came.join(', ')}`,
    ...(rejected.length === 0 ? [] : [`Turned away: ${rejected.join(' ')}`]),
    ...(owed.length === 0 ? [] : [`Still owed: ${owed.map(({ type }) => type).join(', ')}`]),
  ].join('. ');
}

/** How long a wait is unless it says otherwise. */
export const PATIENCE_MS = 5000;
const LOOK_MS = 5;

/**
 * What `find` finds, as soon as it finds anything.
 * @param inVain what is said where patience ends
 */
export async function waitFor<T>(
  find: () => Promise<T | undefined>,
  inVain: () => Promise<string>,
  timeoutMs: number,
  clock: Clock,
): Promise<T> {
  const untilMs = clock.monotonic() + timeoutMs;
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
    if (clock.monotonic() >= untilMs) throw new Error(await inVain());
    await clock.sleep(LOOK_MS);
  }
}
