import { systemClock } from '../../runtime/clock.js';
import { checkOptions, checkType, checkTimeout, quote } from './arguments.js';
import { serveReceiver } from '../../events/webhooks/receiver-server.js';
import type { ReceivedRequest, Reply } from '../../events/webhooks/reception.js';
import { verify } from '../../events/webhooks/verification.js';
import type { SandboxEventType, ReceivedDelivery, ReceivedEvent } from './types.js';
import type { ReceiverAnswers, ReceiverOptions, TestReceiver } from './types.js';

export interface OpenTestReceiver extends TestReceiver {
  closeBecause(why: string): Promise<void>;
}

interface Waiter {
  readonly type: SandboxEventType | undefined;
  readonly take: (event: ReceivedEvent) => void;
  readonly giveUp: (why: string, sandboxText?: string) => void;
}

export async function openTestReceiver(
  options: ReceiverOptions,
  register: (url: string) => Promise<string>,
  readSandboxText: () => Promise<string>,
): Promise<OpenTestReceiver> {
  const answerOf = readAnswers(options);
  const [events, rejected, unreadEvents]: [ReceivedEvent[], string[], ReceivedEvent[]] = [[], [], []];
  const arrivals: ReceivedDelivery[] = [];
  let waiters: Waiter[] = [];
  let closeReason: string | null = null;
  const secretArrival = Promise.withResolvers<string>();

  const receive = async ({ method, headers, body }: ReceivedRequest): Promise<Reply | null> => {
    if (method !== 'POST') return reply(405, 'Deliveries are POST requests.');
    const secrets = [await secretArrival.promise];
    const verdict = verify({ headers, body }, { secrets, nowMs: systemClock.now() });
    if (!verdict.accepted) {
      rejected.push(`${verdict.reason}: ${verdict.message}`);
      return reply(verdict.reason === 'signature_mismatch' ? 401 : 400, verdict.message);
    }
    const event = verdict.event as unknown as ReceivedEvent;
    const earlierCount = arrivals.filter((one) => one.event.id === event.id).length;
    const delivery: ReceivedDelivery = {
      event,
      attempt: earlierCount + 1,
      body: Buffer.from(body).toString('utf8'),
      headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
    };
    arrivals.push(delivery);
    if (earlierCount === 0) {
      events.push(event);
      const waiter = waiters.find(({ type }) => type === undefined || type === event.type);
      if (waiter === undefined) unreadEvents.push(event);
      else waiter.take(event);
    }
    try {
      const chosenReply = (await answerOf(delivery)) ?? 200;
      if (chosenReply === 'cut') return null;
      // This promise never resolves: the service cuts the connection at its time limit.
      if (chosenReply === 'slow') return await new Promise<never>(() => undefined);
      return reply(requireStatus(chosenReply), 'Received.');
    } catch (error) {
      rejected.push(`answer() of this receiver failed: ${String(error)}`);
      return reply(500, 'answer() of this receiver failed.');
    }
  };

  const server = await serveReceiver(receive, 0);
  server.unref();
  const url = `http://127.0.0.1:${String(server.port)}/`;
  const secret = await register(url).catch(async (error: unknown) => {
    await server.close();
    throw error;
  });
  secretArrival.resolve(secret);

  const closeBecause = async (why: string): Promise<void> => {
    if (closeReason !== null) return;
    closeReason = why;
    for (const { giveUp } of waiters) giveUp(why);
    server.cut();
    await server.close();
  };

  const next = async (
    type?: SandboxEventType,
    wait: { readonly timeoutMs?: number } = {},
  ): Promise<ReceivedEvent> => {
    checkType('next', type);
    checkOptions('next', wait, ['timeoutMs']);
    const timeoutMs = checkTimeout('next', wait.timeoutMs ?? DEFAULT_TIMEOUT_MS);
    const index = unreadEvents.findIndex((event) => type === undefined || type === event.type);
    const [readyEvent] = index === -1 ? [] : unreadEvents.splice(index, 1);
    if (readyEvent !== undefined) return readyEvent;
    const what = type ?? 'event';
    if (closeReason !== null) throw new Error(`No ${what} arrives any more: ${closeReason}.`);
    return new Promise((resolve, reject) => {
      const timer = new AbortController();
      const endWait = (): void => {
        timer.abort();
        waiters = waiters.filter((one) => one !== waiter);
      };
      const waiter: Waiter = {
        type,
        take: (event) => {
          endWait();
          resolve(event);
        },
        giveUp: (why, sandboxText = '') => {
          endWait();
          reject(new Error(`No ${what} arrived: ${why}.${sandboxText}`));
        },
      };
      waiters.push(waiter);
      systemClock.sleep(timeoutMs, timer.signal).then(
        async () => {
          const why = `none within ${String(timeoutMs)} ms. ${arrivalsText(events, rejected)}`;
          waiter.giveUp(why, await readSandboxText());
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

function readAnswers(options: ReceiverOptions): ReceiverAnswers {
  checkOptions('receiver', options, ['answer']);
  const { answer = 200 } = options;
  if (typeof answer === 'function') return answer;
  if (answer === 'twice') return ({ attempt }) => (attempt === 1 ? 'cut' : 200);
  if (answer !== 'slow' && answer !== 'cut') requireStatus(answer);
  return () => answer;
}

function requireStatus(answer: unknown): number {
  if (Number.isInteger(answer) && (answer as number) >= 200 && (answer as number) <= 599)
    return answer as number;
  throw new TypeError(
    `receiver() can't answer with ${quote(answer)}: give a status from 200 to 599, 'slow', 'cut', 'twice', or a function that returns one of the first three`,
  );
}

function reply(status: number, message: string): Reply {
  return { status, headers: {}, body: JSON.stringify({ message }) };
}

function arrivalsText(events: readonly ReceivedEvent[], rejected: readonly string[]): string {
  const texts = events.map(({ type, data }) => `${type} of ${data.id}`);
  return [
    `What did arrive: ${texts.length === 0 ? 'nothing' : texts.join(', ')}`,
    ...(rejected.length === 0 ? [] : [`Turned away: ${rejected.join(' ')}`]),
  ].join('. ');
}

export const DEFAULT_TIMEOUT_MS = 5000;
