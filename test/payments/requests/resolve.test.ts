import { describe, expect, it } from 'vitest';
import type { Transport } from '../../../src/runtime/transport.js';
import { KEY, LOST, NOT_ARRIVED, shop, type Shop } from '../../support/open-request.js';
import { mixedUp, otherEnds } from '../../support/altered.js';
import { payout } from '../../support/requests.js';
import { keyOf, liveKey } from '../../support/shaky-sandbox.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

async function lost(fates = LOST, hours = 30): Promise<Shop> {
  const world = shop();
  await world.pay(KEY, fates);
  world.home.clock.advance(hours * HOUR_MS);
  return world;
}

async function operationOf({ service }: Shop, at = 0): Promise<string> {
  service.next();
  const { body } = await service.transport(service.posts[at]!, { timeoutMs: 1000 });
  return (JSON.parse(Buffer.from(body).toString('utf8')) as { id: string }).id;
}

describe('--operation', () => {
  it('settles it, however old it is, and nothing is sent', async () => {
    for (const hours of [0, 30]) {
      const world = await lost(LOST, hours);
      const id = await operationOf(world);
      const posts = world.service.posts.length;
      const resolved = await world.svc(`requests resolve ${KEY} --operation ${id}`);
      const known = { idempotency_key: KEY, operation: id, status: 'confirmed' };
      expect(resolved.json(), resolved.stderr).toEqual(known);
      expect(world.service.posts).toHaveLength(posts);
      expect(await world.open()).toEqual([]);
      const again = await world.svc(`requests resolve ${KEY} --operation ${id}`);
      expect(again.error()).toMatchObject({ exit_code: 13, code: 'not_decidable' });
    }
  });

  it('of another reference is refused, and one that nobody has made is not found', async () => {
    const world = await lost();
    const other = (await world.pay('invoice-2049')).json()['id'] as string;
    const refused = await world.svc(`requests resolve ${KEY} --operation ${other}`);
    expect(refused.error()).toMatchObject({ exit_code: 13, code: 'not_its_operation' });
    const nobodys = '00000000-0000-4000-8000-000000000000';
    expect((await world.svc(`requests resolve ${KEY} --operation ${nobodys}`)).exitCode).toBe(5);
    expect(await world.open()).toHaveLength(1);
  });

  it('that another request has made is refused', async () => {
    const world = await lost(NOT_ARRIVED);
    const words = [...payout(), '--reference', KEY, '--new-payment', KEY];
    const id = String((await world.svc(words)).json()['id']);
    const refused = await world.svc(`requests resolve ${KEY} --operation ${id}`);
    expect(refused.error()).toMatchObject({ exit_code: 13, code: 'not_its_operation' });
    expect(refused.error()['message']).toContain('another request of this machine');
    expect((await world.svc(`requests resolve ${KEY} --not-paid`)).exitCode).toBe(0);
  });

  it('that failed settles it only where it may be its own', async () => {
    const world = shop();
    const { svc, service, home, open } = world;
    const bad = [...payout('00000001'), '--reference', KEY];
    const failed = (await svc([...bad, '--idempotency-key', 'invoice-2048-first'])).json()['id'] as string;
    home.clock.advance(HOUR_MS);
    service.next(...LOST);
    await svc([...bad, '--idempotency-key', KEY]);
    const refused = await svc(`requests resolve ${KEY} --operation ${failed}`);
    expect(refused.error()).toMatchObject({ exit_code: 13, code: 'not_its_operation' });
    const own = await operationOf(world, 1);
    const resolved = await svc(`requests resolve ${KEY} --operation ${own}`);
    expect(resolved.json(), resolved.stderr).toMatchObject({ operation: own, status: 'failed' });
    expect(await open()).toEqual([]);
  });
});

describe('--not-paid', () => {
  it('takes it out, and the same line is a new create then', async () => {
    const world = await lost(NOT_ARRIVED);
    const resolved = await world.svc(`requests resolve ${KEY} --not-paid`);
    expect(resolved.json(), resolved.stderr).toEqual({ idempotency_key: KEY, operation: null, status: null });
    expect(await world.open()).toEqual([]);
    expect((await world.pay(KEY)).exitCode).toBe(0);
    expect(await world.service.ledger()).toEqual({ [KEY]: 1 });
  });

  it('takes out what left again with the key of an operation that failed', async () => {
    const { svc, service, home, open } = shop();
    const bad = [...payout('00000001'), '--reference', KEY, '--idempotency-key', KEY];
    await svc(bad);
    service.next(...NOT_ARRIVED);
    await svc(bad);
    home.clock.advance(DAY_MS);
    expect((await svc(`requests resolve ${KEY} --not-paid`)).exitCode).toBe(0);
    expect(await open()).toEqual([]);
    expect((await svc([...payout(), '--reference', KEY])).exitCode).toBe(0);
  });

  it('is refused where the events hold what may be its payment', async () => {
    const world = await lost();
    const id = await operationOf(world);
    const refused = await world.svc(`requests resolve ${KEY} --not-paid`);
    expect(refused.error()).toMatchObject({ exit_code: 13, code: 'operation_found' });
    const line = `If this is its payment: svc requests resolve --operation ${id} -- ${KEY}`;
    expect(String(refused.error()['message']).endsWith(line)).toBe(true);
    expect(await world.open()).toHaveLength(1);
  });

  it('is taken where a payment of its time was taken back, once the printed line has asked what that is', async () => {
    const world = await lost();
    const id = await operationOf(world);
    const ends = otherEnds(world.service.transport, new Map([[id, 'also']]));
    const reads = /GET .*\/(transactions|payouts)\/[0-9a-f-]+$/;
    const transport = mixedUp(ends, reads, (one) => ({ ...one, status: 'failed' }));
    const refused = await world.svc(`requests resolve ${KEY} --not-paid`, { transport });
    expect(refused.error()).toMatchObject({ exit_code: 13, code: 'operation_found' });
    const line = `requests resolve --operation ${id}`;
    const said = String(refused.error()['message']).split('\n');
    expect(said).toContain(`To ask which of its two ends is true: svc ${line}`);
    const asked = await world.svc(line, { transport });
    expect(asked.json(), asked.stderr).toMatchObject({ operation: id, status: 'failed' });
    expect((await world.svc(`requests resolve ${KEY} --not-paid`, { transport })).exitCode).toBe(0);
    expect(await world.open()).toEqual([]);
  });

  it('is refused where its key can say it, and where the clocks disagree', async () => {
    const young = await lost(NOT_ARRIVED, 22);
    expect((await young.svc(`requests resolve ${KEY} --not-paid`)).error()).toMatchObject({
      ...{ exit_code: 13, code: 'may_repeat', next_command: `svc requests repeat -- ${KEY}` },
    });
    const set = await lost(NOT_ARRIVED);
    set.home.clock.setWall(-40 * HOUR_MS);
    set.home.clock.reboot();
    const disagree = { exit_code: 13, code: 'clocks_disagree' };
    expect((await set.svc(`requests resolve ${KEY} --not-paid`)).error()).toMatchObject(disagree);
    expect(await set.open()).toHaveLength(1);
  });

  it('is refused where the events cannot be read', async () => {
    const world = await lost(NOT_ARRIVED);
    const transport: Transport = (request, options) => {
      const url = request.url.includes('/v2/events') ? `${request.url}&cursor=broken` : request.url;
      return world.service.transport({ ...request, url }, options);
    };
    const refused = await world.svc(`requests resolve ${KEY} --not-paid`, { transport });
    expect(refused.error()).toMatchObject({ exit_code: 13, code: 'feed_unreadable' });
    expect(await world.open()).toHaveLength(1);
  });

  it('live, it is confirmed', async () => {
    const world = shop();
    const env = { ...world.service.env, SVC_API_KEY: await liveKey(world.service) };
    const live = ['--live', '--insecure-loopback'];
    await world.pay(KEY, NOT_ARRIVED, { env }, ...live, '--yes');
    world.home.clock.advance(30 * HOUR_MS);
    const line = ['requests', 'resolve', KEY, '--not-paid', ...live];
    expect((await world.svc(line, { env })).error()).toMatchObject({ exit_code: 13, code: 'not_confirmed' });
    expect(await world.open()).toHaveLength(1);
    expect((await world.svc([...line, '--yes'], { env })).exitCode).toBe(0);
    expect(await world.open()).toEqual([]);
  });
});

it.each([
  [`requests resolve ${KEY}`, 2],
  [`requests resolve ${KEY} --not-paid --operation 00000000-0000-4000-8000-000000000000`, 2],
  [`requests resolve ${KEY} --operation x`, 2],
  ['requests resolve another-key --not-paid', 5],
])('%s: %i', async (line, exitCode) => {
  const world = await lost();
  expect((await world.svc(line)).exitCode).toBe(exitCode);
  expect(await world.open()).toHaveLength(1);
});

it('what is too old says how it is resolved, for whatever key', async () => {
  const { svc, service, home } = shop();
  service.next(...NOT_ARRIVED);
  await svc([...payout(), '--idempotency-key=--it is 1']);
  home.clock.advance(30 * HOUR_MS);
  const refused = await svc(['requests', 'repeat', '--', '--it is 1']);
  const line = "svc requests resolve --operation ID -- '--it is 1', or --not-paid";
  expect(refused.error()['message']).toContain(line);
  expect((await svc(['requests', 'resolve', '--not-paid', '--', '--it is 1'])).exitCode).toBe(0);
});

it('is for the company that sent it: where nothing shows that, --same-company says it', async () => {
  const world = await lost(NOT_ARRIVED);
  const env = { SVC_API_KEY: await keyOf(world.service, 'default', 'sandbox') };
  const line = `requests resolve ${KEY} --not-paid`;
  expect((await world.svc(line, { env })).error()).toMatchObject({ exit_code: 13, code: 'company_unknown' });
  const said = await world.svc(`${line} --same-company`, { env });
  expect(said.exitCode, said.stderr).toBe(0);
  expect(await world.open()).toEqual([]);
});
