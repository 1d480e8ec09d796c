/** A receiver for a test: a url on this machine whose events are verified, kept, and handed out one by one. */
import type { Clock } from '../runtime/clock.js';
import { serveReceiver } from '../webhook/receiver-server.js';
import type { Received, Reply } from '../webhook/reception.js';
import { verify } from '../webhook/verification.js';
import type { DeliveryRow, ReceivedEvent, TestReceiver } from './types.js';

interface ReceiverNeeds {
  /** Makes the url the one to which events go, and says with which secret they are signed. */
  readonly register: (url: string) => string;
  /** For what is said of a wait that was in vain. */
  readonly deliveries: () => readonly DeliveryRow[];
  readonly clock: Clock;
}

export interface OpenTestReceiver extends TestReceiver {
  /** @param why what a wait ends with from now on */
  closeBecause(why: string): Promise<void>;
}

interface Waiting {
  readonly type: string | undefined;
  readonly take: (event: ReceivedEvent) => void;
  readonly giveUp: (why: string) => void;
}

export async function openTestReceiver({
  register,
  deliveries,
  clock,
}: ReceiverNeeds): Promise<OpenTestReceiver> {
  const [events, rejected, untaken]: [ReceivedEvent[], string[], ReceivedEvent[]] = [[], [], []];
  let waiting: Waiting[] = [];
  let closed: string | null = null;
  let secret = '';

  const reception = ({ method, headers, body }: Received): Promise<Reply> => {
    if (method !== 'POST') return Promise.resolve(reply(405, 'Deliveries are POST requests.'));
    const verdict = verify({ headers, body }, { secrets: [secret], nowMs: clock.now() });
    if (!verdict.accepted) {
      rejected.push(`${verdict.reason}: ${verdict.message}`);
      return Promise.resolve(reply(verdict.reason === 'signature_mismatch' ? 401 : 400, verdict.message));
    }
    if (!events.some(({ id }) => id === verdict.event.id)) arrived(verdict.event);
    return Promise.resolve(reply(200, 'Received.'));
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
  secret = register(url);

  const closeBecause = async (why: string): Promise<void> => {
    if (closed !== null) return;
    closed = why;
    for (const { giveUp } of waiting) giveUp(why);
    server.cut();
    await server.close();
  };

  return {
    url,
    secret,
    events,
    rejected,
    closeBecause,
    close: () => closeBecause('this receiver is closed'),
    next: async (type, { timeoutMs = PATIENCE_MS } = {}) => {
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
          () => mine.giveUp(`none within ${String(timeoutMs)} ms. ${listed(events, rejected, deliveries())}`),
          () => undefined,
        );
      });
    },
  };
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
  const came = events.map(({ type, data }) => `${type} of ${String(data['id'])}`);
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
  find: () => T | undefined,
  inVain: () => string,
  timeoutMs: number,
  clock: Clock,
): Promise<T> {
  const untilMs = clock.monotonic() + timeoutMs;
  for (;;) {
    const found = find();
    if (found !== undefined) return found;
    if (clock.monotonic() >= untilMs) throw new Error(inVain());
    await clock.sleep(LOOK_MS);
  }
}
