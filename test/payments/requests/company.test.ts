import { describe, expect, it } from 'vitest';
import { KEY, LOST, shop, type Shop } from '../../support/open-request.js';
import { ADDRESS, keyOf, liveKey } from '../../support/shaky-sandbox.js';
import type { Result } from '../../support/svc.js';

const UNKNOWN = { exit_code: 13, outcome: 'unknown', idempotency_key: KEY };
const repeat = ({ svc }: Shop, env: Record<string, string>, ...more: string[]): Promise<Result> =>
  svc(['requests', 'repeat', ...more, '--', KEY], { env });

async function lostBehindAnother() {
  const world = shop();
  await world.pay('invoice-2047');
  await world.pay(KEY, LOST);
  const keyFor = async (company: string) => ({ SVC_API_KEY: await keyOf(world.service, company, 'sandbox') });
  return { world, rotated: await keyFor('default'), theirs: await keyFor('another') };
}

describe('a rotated key', () => {
  it('goes on where it sees what the old one has made', async () => {
    const { world, rotated } = await lostBehindAnother();
    const repeated = await repeat(world, rotated);
    expect(repeated.exitCode, repeated.stderr).toBe(0);
    expect(repeated.json()).toMatchObject({ reference: KEY });
    expect(await world.service.ledger()).toMatchObject({ [KEY]: 1 });
    expect(await world.open()).toEqual([]);
  });

  it('is refused where nothing shows whose it is, unless the caller knows: --same-company', async () => {
    const world = shop();
    await world.pay(KEY, LOST);
    const env = { SVC_API_KEY: await keyOf(world.service, 'default', 'sandbox') };
    const refused = await repeat(world, env);
    expect(refused.error()).toMatchObject({ ...UNKNOWN, code: 'company_unknown' });
    expect(refused.error()['message']).toMatch(/sent with svc_test_\.\.\..{4} to .*add --same-company/);
    expect(world.service.posts).toHaveLength(3);
    expect((await repeat(world, env, '--same-company')).exitCode).toBe(0);
    expect(await world.service.ledger()).toEqual({ [KEY]: 1 });
    expect(await world.open()).toEqual([]);
  });
});

describe('a key of another company', () => {
  it('is refused, whatever the caller says', async () => {
    const { world, theirs } = await lostBehindAnother();
    const other = { ...UNKNOWN, code: 'other_company' };
    for (const more of [[], ['--same-company']])
      expect((await repeat(world, theirs, ...more)).error()).toMatchObject(other);
    expect(world.service.posts).toHaveLength(4);
    expect(await world.open()).toHaveLength(1);
  });

  it('pays with the same key and bytes as another payment: the one of the first company stays open', async () => {
    const { world, theirs: env } = await lostBehindAnother();
    const paid = await world.pay(KEY, [], { env });
    expect(paid.exitCode, paid.stderr).toBe(0);
    expect(await world.open()).toHaveLength(1);
    expect((await repeat(world, env)).error()).toMatchObject({ code: 'other_company' });
    expect((await repeat(world, {})).exitCode).toBe(0);
    expect(await world.service.ledger()).toMatchObject({ [KEY]: 1 });
  });
});

describe('another address', () => {
  it.each(['http://127.0.0.1:4010', 'http://[::1]:4010', 'http://LOCALHOST:4010'])(
    'that is another spelling goes on: %s',
    async (address) => {
      const world = shop();
      await world.pay(KEY, LOST);
      expect((await repeat(world, { SVC_BASE_URL: address })).exitCode).toBe(0);
      expect(await world.service.ledger()).toEqual({ [KEY]: 1 });
    },
  );

  it('is refused where what the service has made is not there: the sandbox inside is no service', async () => {
    const { world } = await lostBehindAnother();
    const inside = await world.home.svc(`requests repeat ${KEY}`);
    expect(inside.error()).toMatchObject({ exit_code: 13, code: 'other_company' });
    expect((await world.svc(`requests repeat ${KEY}`)).exitCode).toBe(0);
  });
});

it('live, --same-company is confirmed with --yes', async () => {
  const world = shop();
  const env = { SVC_API_KEY: await liveKey(world.service), SVC_BASE_URL: ADDRESS };
  const live = ['--live', '--insecure-loopback'];
  const paid = await world.pay(KEY, LOST, { env }, ...live, '--yes');
  expect(paid.exitCode, paid.stderr).toBe(12);
  const moved = { ...env, SVC_BASE_URL: 'http://localhost:4011' };
  expect((await repeat(world, moved, ...live)).error()).toMatchObject({ code: 'company_unknown' });
  const said = await repeat(world, moved, ...live, '--same-company');
  expect(said.error()).toMatchObject({ ...UNKNOWN, code: 'not_confirmed' });
  expect(world.service.posts).toHaveLength(3);
  const repeated = await repeat(world, moved, ...live, '--same-company', '--yes');
  expect(repeated.exitCode, repeated.stderr).toBe(0);
});
