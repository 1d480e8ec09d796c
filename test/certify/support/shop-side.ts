/** The way to a shop of the controls without a network: its answers, its state, and cuts, in virtual time. */
import { randomUUID } from 'node:crypto';
import type {
  ParcelAnswer,
  ReceiverFindings,
  ReceiverOrders,
  ReceiverSide,
} from '../../../src/certify/receiver.js';
import { examineReceiver } from '../../../src/certify/receiver.js';
import type { ExamEvent, Parcel } from '../../../src/certify/parcels.js';
import { openShop, ShopEnded, type ShopMode } from '../controls/receivers/shop.js';
import { virtualTime } from './virtual-time.js';

const SECRET = 'whsec_of_the_controls';
const ANSWER_MS = 10_000;
const CUT_MS = 5;

/** What may be changed of the way to a shop. */
export interface ShopChanges {
  readonly hasProbe?: boolean;
  readonly gives?: boolean;
  readonly orders?: Partial<ReceiverOrders>;
  /** What the probe prints, from what the shop shows. */
  readonly print?: (state: string, event: ExamEvent, nowMs: number) => string;
}

/** The whole exam of one shop. */
export async function examineShop(mode: ShopMode, changes: ShopChanges = {}): Promise<ReceiverFindings> {
  const { hasProbe = true, gives = mode.startsWith('orders'), orders, print = String } = changes;
  const time = virtualTime('2026-09-23T15:00:00Z');
  const shop = openShop(mode, SECRET, { now: time.now, after: time.after, pause: (ms) => time.sleep(ms) });
  let isOpen = true;
  const refused = { status: null, error: 'no program listens at 127.0.0.1:1', sent: false };
  const send = async ({ method, headers, body }: Parcel, isCut: () => boolean): Promise<ParcelAnswer> => {
    if (!isOpen) return refused;
    const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
    const request = { method, headers: Object.fromEntries(lower), body: Buffer.from(body ?? []) };
    try {
      const late = time.sleep(ANSWER_MS).then(() => null);
      const status = await Promise.race([shop.take(request, isCut), late]);
      const error = status === null ? 'none within 10 s' : null;
      return { status, error, sent: true, ...(status === 308 ? { location: '/hooks/' } : {}) };
    } catch (error) {
      if (!(error instanceof ShopEnded)) throw error;
      isOpen = false;
      return { status: null, error: 'the connection was cut', sent: true };
    }
  };
  const side: ReceiverSide = {
    ...{ clock: time, signal: new AbortController().signal, secret: SECRET },
    event: eventOf,
    send: (parcel) => send(parcel, () => false),
    sendAndCut: async (parcel) => {
      let isCut = false;
      void send(parcel, () => isCut);
      await time.sleep(CUT_MS);
      isCut = true;
    },
    look: hasProbe
      ? (event) => Promise.resolve(print(shop.state(event.operationId), event, time.now()))
      : null,
    give: gives
      ? (event) => {
          shop.order(event.operationId);
          return Promise.resolve();
        }
      : null,
    onCase: () => undefined,
  };
  const all: ReceiverOrders = { isWanted: () => true, settleMs: 3000, jobs: 1, ...orders };
  return time.run(examineReceiver(side, all));
}

function eventOf(type: string): ExamEvent {
  const [eventId, operationId] = [randomUUID(), randomUUID()];
  const own = { amount: '1500.50', currency: 'VES', reference: `certify-${eventId.slice(0, 8)}` };
  const data = { id: operationId, ...own, concept: 'Cobro SVC', metadata: {} };
  const text = JSON.stringify({ id: eventId, type, occurred_at: '2026-09-23T15:00:00Z', data });
  return { eventId, type, operationId, ...own, text };
}
