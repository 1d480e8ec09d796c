import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { EVENT_TYPES, type EventType } from '../../../src/contract/events.js';
import { receive, type ReceivedRequest, type Remark } from '../../../src/events/webhooks/reception.js';
import { sampleEvent } from '../../../src/events/webhooks/sample.js';
import { openSeen, type SeenEvents } from '../../../src/events/webhooks/seen.js';
import { signDelivery } from '../../../src/events/webhooks/signing.js';
import { testFolder } from '../../support/test-folder.js';
import { SAMPLE_IDS } from './samples.js';

let folder: string;
beforeEach(() => void (folder = testFolder()));

const SECRET = 'whsec_one';
const NOW_MS = Date.UTC(2026, 8, 23, 15, 0, 0);
const DAY_MS = 86_400_000;

type Sent = Partial<Record<'id' | 'type' | 'secret', string>> & { headers?: [string, string][] };

function delivery(body: string, more: Sent = {}): ReceivedRequest {
  const { id = 'e1', type = 'payin.confirmed', secret = SECRET, headers = [] } = more;
  const signed = signDelivery(Buffer.from(body), { id, type }, [secret], NOW_MS / 1000);
  return { method: 'POST', headers: [...Object.entries(signed), ...headers], body: Buffer.from(body) };
}

const event = (type: EventType = 'payin.confirmed'): string => sampleEvent(type, SAMPLE_IDS, []);

function receiver(options: { seen?: SeenEvents; handOver?: () => Promise<void>; nowMs?: number } = {}) {
  const { nowMs = NOW_MS } = options;
  const handed: string[] = [];
  const remarks: Remark[] = [];
  const seen = options.seen ?? openSeen(join(folder, 'seen.db'));
  const reception = receive({
    secretSets: [[SECRET, 'whsec_before'], ['whsec_forward']],
    seen,
    nowMs: () => nowMs,
    handOver: async (_event, body) => {
      await options.handOver?.();
      handed.push(Buffer.from(body).toString());
    },
    onRemark: (remark) => remarks.push(remark),
  });
  const status = async (request: ReceivedRequest) => (await reception(request)).status;
  return { reception, handed, remarks, seen, status };
}

describe('a delivery', () => {
  const real = EVENT_TYPES.filter((type) => type !== 'test.ping');
  it.each(real)('of %s is handed over and accepted', async (type) => {
    const { status, handed } = receiver();
    expect(await status(delivery(event(type), { type }))).toBe(200);
    expect(handed).toEqual([event(type)]);
  });

  it.each([SECRET, 'whsec_before', 'whsec_forward'])('signed with %s is accepted', async (secret) => {
    expect(await receiver().status(delivery(event(), { secret }))).toBe(200);
  });

  it('that comes again is accepted, and handled once', async () => {
    const { status, handed, remarks } = receiver();
    for (let time = 0; time < 3; time += 1) expect(await status(delivery(event()))).toBe(200);
    expect(handed).toHaveLength(1);
    expect(remarks.map(({ kind }) => kind)).toEqual(['duplicate', 'duplicate']);
  });

  it('that comes twice at the same time is handled once, and both answers wait for it', async () => {
    let go = (): void => undefined;
    const waiting = new Promise<void>((resolve) => (go = resolve));
    const { reception, handed } = receiver({ handOver: () => waiting });
    const answers: number[] = [];
    const both = [1, 2].map(async () => answers.push((await reception(delivery(event()))).status));
    await new Promise((resolve) => setImmediate(resolve));
    expect(answers).toEqual([]);
    go();
    await Promise.all(both);
    expect([answers, handed.length]).toEqual([[200, 200], 1]);
  });

  it('is remembered across a restart, for 30 days', async () => {
    const first = receiver();
    await first.status(delivery(event()));
    first.seen.close();
    const second = receiver();
    expect(await second.status(delivery(event()))).toBe(200);
    expect(second.handed).toEqual([]);
    second.seen.add('later', NOW_MS + 30 * DAY_MS);
    expect(second.seen.has('e1')).toBe(true);
    second.seen.add('latest', NOW_MS + 30 * DAY_MS + 1);
    expect(second.seen.has('e1')).toBe(false);
  });

  it('that cannot be handed over is answered with 503, is not remembered, and is handled when it comes again', async () => {
    let fails = true;
    const handOver = (): Promise<void> =>
      fails ? Promise.reject(new Error('no reader')) : Promise.resolve();
    const { status, handed, remarks } = receiver({ handOver });
    expect(await status(delivery(event()))).toBe(503);
    expect(remarks).toEqual([{ kind: 'failed', text: 'Event e1 could not be handed over: no reader' }]);
    fails = false;
    expect(await status(delivery(event()))).toBe(200);
    expect(handed).toHaveLength(1);
  });

  it('is not accepted before its id is durable', async () => {
    const order: string[] = [];
    const seen = { has: () => false, add: () => void order.push('remembered'), close: () => undefined };
    const handOver = (): Promise<void> => Promise.resolve(void order.push('handed over'));
    await receiver({ seen, handOver }).status(delivery(event()));
    expect(order).toEqual(['handed over', 'remembered']);
    const add = (): never => {
      throw new Error('the disk is full');
    };
    expect(await receiver({ seen: { ...seen, add } }).status(delivery(event()))).toBe(503);
  });

  it('of test.ping is accepted and not processed', async () => {
    const { status, handed, remarks } = receiver();
    expect(await status(delivery(event('test.ping'), { type: 'test.ping' }))).toBe(200);
    expect([handed, remarks.map(({ kind }) => kind)]).toEqual([[], ['ping']]);
  });

  it('of an unknown type is accepted and logged', async () => {
    const { status, handed, remarks } = receiver();
    const body = event().replace('"type":"payin.confirmed"', '"type":"payin.reversed"');
    expect(await status(delivery(body, { type: 'payin.reversed' }))).toBe(200);
    expect(handed).toEqual([]);
    expect(remarks[0]?.kind).toBe('unknown_type');
    expect(remarks[0]?.text).toContain('payin.reversed');
  });
});

describe('anything else is refused, and nothing of it is handed over', () => {
  const cases: [string, ReceivedRequest, number][] = [
    ['GET', { ...delivery(event()), method: 'GET' }, 405],
    ['2 MiB', { ...delivery(event()), body: Buffer.alloc(2 * 1024 * 1024) }, 413],
    ['gzip', delivery(event(), { headers: [['Content-Encoding', 'gzip']] }), 415],
    ['another secret', delivery(event(), { secret: 'whsec_other' }), 401],
    ['no signature', { ...delivery(event()), headers: [] }, 400],
    ['a header of another type', delivery(event(), { type: 'payin.failed' }), 400],
    ['a header of another id', delivery(event(), { id: 'e2' }), 400],
    ['JSON that is no event', delivery('{"id":"e1"}'), 400],
  ];
  it.each(cases)('%s', async (_what, request, expected) => {
    const { status, handed } = receiver();
    expect(await status(request)).toBe(expected);
    expect(handed).toEqual([]);
  });

  it.each([300, -300])('a time %i s away is accepted, one second more is not', async (seconds) => {
    const further = seconds + Math.sign(seconds);
    expect(await receiver({ nowMs: NOW_MS + seconds * 1000 }).status(delivery(event()))).toBe(200);
    expect(await receiver({ nowMs: NOW_MS + further * 1000 }).status(delivery(event()))).toBe(401);
  });
});
