import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { RECEIVER_CASES } from '../../../src/certify/receiver/cases.js';
import type { ExamEvent, Parcel } from '../../../src/certify/receiver/parcels.js';
import type { DeliveryAnswer } from '../../../src/events/webhooks/deliver.js';
import {
  CommandFailed,
  ReceiverExam,
  type ReceiverFindings,
  type ReceiverExamOptions,
  type ReceiverSide,
} from '../../../src/certify/receiver/receiver-exam.js';
import { BROKEN_SHOPS, openShop, RIGHT_SHOPS, ShopEnded, type ShopMode } from '../controls/receivers/shop.js';
import { virtualTime } from '../support/virtual-time.js';

const SECRET = 'whsec_of_the_controls';
const ANSWER_MS = 10_000;
const CUT_MS = 5;

const own = ({ findings }: ReceiverFindings): string[] =>
  findings.flatMap(({ id, status, andSo }) => (status !== 'passed' && andSo === null ? [id] : []));
const findingOf = ({ findings }: ReceiverFindings, id: string) => findings.find((one) => one.id === id);
const statusOf = (found: ReceiverFindings, id: string) => findingOf(found, id)?.status;
const whyOf = (found: ReceiverFindings, id: string) => findingOf(found, id)?.why;

describe('a right shop passes every case', () => {
  it.each(RIGHT_SHOPS)('%s', async (mode) => {
    const found = await examineShop(mode);
    expect(found.findings.filter(({ status }) => status !== 'passed')).toEqual([]);
    expect(found.findings.map(({ id }) => id)).toEqual(RECEIVER_CASES.map(({ id }) => id));
    const parallel = await examineShop(mode, { orders: { jobs: 4 } });
    expect(own(parallel)).toEqual([]);
  });
});

describe('a broken shop fails its own case, and what that explains', () => {
  it.each(Object.entries(BROKEN_SHOPS))('%s', async (mode, cases) => {
    const found = await examineShop(mode as ShopMode);
    expect(own(found)).toEqual([...cases]);
    for (const id of cases) expect(statusOf(found, id)).toBe('failed');
  });

  it.each(Object.entries(BROKEN_SHOPS))('%s, examined for that alone', async (mode, [telling]) => {
    const found = await examineShop(mode as ShopMode, { orders: { isWanted: (id) => id === telling } });
    expect(statusOf(found, telling)).toBe('failed');
    expect(found.findings.length).toBeLessThanOrEqual(2);
  });
});

describe('without a probe', () => {
  it('effects are not judged, and all the rest is', async () => {
    const found = await examineShop('right', { hasProbe: false });
    expect(own(found)).toEqual(['twice.row', 'twice.at-once', 'twice.cut', 'ping']);
    expect(whyOf(found, 'ping')).toMatch(/^no --effect was given/);
    expect(found.effectMs).toBeNull();
    const blind = await examineShop('accepts-all', { hasProbe: false });
    expect(statusOf(blind, 'forged.secret')).toBe('failed');
  });
});

describe('a probe that says nothing', () => {
  it.each<[what: string, print: (state: string, event: unknown, nowMs: number) => string, why: RegExp]>([
    ['prints the time', (state, _, ms) => `${state} ${String(ms)}`, /^--effect shows other|something else/],
    ['counts its looks', counting(), /^--effect prints something else each time: "0", then "2"$/],
    ['fails', failing, /^the command of --effect ended with 7$/],
  ])('%s', async (_, print, why) => {
    const found = await examineShop('right', { print });
    expect(found.findings.filter(({ status }) => status === 'failed')).toEqual([]);
    expect(whyOf(found, 'twice.row')).toMatch(why);
    expect(statusOf(found, 'forged.byte')).toBe('passed');
  });

  it('shows what was delivered for others', async () => {
    let sum = 0;
    const print = (state: string) => String((sum += state === 'shipped 1' ? 1 : 0));
    expect(whyOf(await examineShop('right', { print }), 'twice.row')).toMatch(/each time|other operations/);
  });

  it('names a constant as what the good delivery did not change', async () => {
    const found = await examineShop('right', { print: () => 'ok' });
    expect(own(found)).toEqual(['good.payin.confirmed']);
    const why = 'accepted, but --effect shows no change within 3 s: "ok".';
    const hint = 'Does the receiver need to know the operation? Make it known with --given';
    expect(whyOf(found, 'good.payin.confirmed')).toBe(`${why} ${hint}`);
    expect(statusOf(found, 'twice.row')).toBe('not_judged');
    expect(statusOf(found, 'forged.byte')).toBe('passed');
  });

  it('may print the names of its operation', async () => {
    const print = (state: string, { operationId, reference, eventId }: ExamEvent) =>
      `${operationId} ${reference} ${state === 'shipped 0' ? '' : eventId}: ${state}`;
    expect(own(await examineShop('right', { print }))).toEqual([]);
    expect(own(await examineShop('no-dedupe', { print }))).toEqual(['twice.row']);
  });

  it('prints what differs from one operation to the next: only what needs a model is left open', async () => {
    const seen = new Map<string, number>();
    const print = (state: string, { operationId }: { readonly operationId: string }) => {
      if (!state.endsWith('1')) return state;
      if (!seen.has(operationId)) seen.set(operationId, seen.size);
      return `${state}, number ${String(seen.get(operationId))}`;
    };
    const found = await examineShop('right', { print });
    expect(statusOf(found, 'twice.row')).toBe('passed');
    expect(own(found)).toEqual(['twice.at-once', 'twice.cut']);
    const why = /^--effect prints different texts for two operations .*Leave out what differs$/;
    expect(whyOf(found, 'twice.cut')).toMatch(why);
  });
});

describe('the gate', () => {
  it('names the likely cause', async () => {
    const why = async (mode: ShopMode, gives: boolean) =>
      whyOf(await examineShop(mode, { gives }), 'good.payin.confirmed');
    const redirect = 'The service follows no redirect: give the final URL';
    expect(await why('redirect', false)).toBe(`answered 308 with a redirect to /hooks/. ${redirect}`);
    expect(await why('orders-404', false)).toMatch(/^answered 404\. .* --given$/);
    expect(await why('csrf-guard', false)).toMatch(/^answered 403\. .*framework.* CSRF protection/);
    for (const mode of ['sorted', 'spaced'] as const)
      expect(await why(mode, false)).toMatch(/^answered 401\. The receiver re-encodes the body before/);
    const wrongSecret = examineShop('right', { secret: 'whsec_of_another' });
    expect(whyOf(await wrongSecret, 'good.payin.confirmed')).toMatch(
      /^answered 401\. .*secret.*--secret-file/,
    );
  });

  it.each(['reserialised', 'latin1'] as const)('has words for what re-encodes: %s', async (mode) => {
    const [id = ''] = BROKEN_SHOPS[mode];
    expect(whyOf(await examineShop(mode), id)).toMatch(/^answered 401\. .*re-encodes the body.* raw bytes/);
  });

  it('is the one failure: nothing else is judged', async () => {
    const { findings } = await examineShop('redirect');
    const rest = findings.slice(1).map(({ status, andSo }) => `${status} ${String(andSo)}`);
    expect(rest).toEqual(Array<string>(45).fill('not_judged good.payin.confirmed'));
  });
});

it('says of a shop that ended at which case', async () => {
  const found = await examineShop('dies');
  expect(found.findings.at(-1)).toMatchObject({ id: 'alive.nojson', status: 'failed' });
  expect(found.findings.at(-1)?.why).toMatch(/^the next good delivery was not accepted: no answer/);
});

function counting(): () => string {
  let count = 0;
  return () => String(count++);
}

function failing(): string {
  throw new CommandFailed('the command of --effect ended with 7');
}

interface ShopChanges {
  readonly secret?: string;
  readonly hasProbe?: boolean;
  readonly gives?: boolean;
  readonly orders?: Partial<ReceiverExamOptions>;
  readonly print?: (state: string, event: ExamEvent, nowMs: number) => string;
}

async function examineShop(mode: ShopMode, changes: ShopChanges = {}): Promise<ReceiverFindings> {
  const {
    hasProbe = true,
    gives = mode.startsWith('orders'),
    orders,
    print = String,
    secret = SECRET,
  } = changes;
  const time = virtualTime('2026-09-23T15:00:00Z');
  const shop = openShop(mode, secret, { now: time.now, after: time.after, pause: (ms) => time.sleep(ms) });
  let isOpen = true;
  const refused = { status: null, error: 'no program listens at 127.0.0.1:1', sent: false };
  const send = async ({ method, headers, body }: Parcel, isCut: () => boolean): Promise<DeliveryAnswer> => {
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
  const all: ReceiverExamOptions = { isWanted: () => true, settleMs: 3000, jobs: 1, ...orders };
  return time.run(new ReceiverExam(side, all).run());
}

function eventOf(type: string): ExamEvent {
  const [eventId, operationId] = [randomUUID(), randomUUID()];
  const own = { amount: '1500.50', currency: 'VES', reference: `certify-${eventId.slice(0, 8)}` };
  const data = { id: operationId, ...own, concept: 'Cobro SVC', metadata: {} };
  const text = JSON.stringify({ id: eventId, type, occurred_at: '2026-09-23T15:00:00Z', data });
  return { eventId, type, operationId, ...own, text };
}
