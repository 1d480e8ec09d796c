import { describe, expect, it } from 'vitest';
import { ANOTHER, mixedUp } from '../support/altered.js';
import { shop, type Shop } from '../support/open-request.js';
import { debitOtp, payout, words } from '../support/requests.js';
import { liveKey } from '../support/shaky-sandbox.js';
import type { Result, RunOptions } from '../support/svc.js';

const OTHER = { id: ANOTHER, status: 'confirmed', pending_reason: null };
const confirmedOther = (operation: object) => ({ ...operation, ...OTHER });

const mixed = (
  { svc, service }: Shop,
  which: RegExp,
  line: string | readonly string[],
  options: RunOptions = {},
) => svc(line, { ...options, transport: mixedUp(service.transport, which, confirmedOther) });

const idOf = (result: Result): string => String(result.json()['id']);

describe('a read', () => {
  it.each([
    ...['payouts get $ID', 'transactions get $ID', 'transactions trace $ID', 'payouts get $ID --wait'],
    ...['payouts get $ID --exit-status', 'transactions get $BEGINNING', 'operations find $ID'],
  ])('%s ends with 1 and both ids', async (line) => {
    const world = shop();
    const id = idOf(await world.svc(payout('00000002')));
    const typed = line.replace('$ID', id).replace('$BEGINNING', id.slice(0, 8));
    const result = await mixed(world, /GET .*\/v2\/(payouts|transactions)\//, typed);
    expect(result).toMatchObject({ exitCode: 1, stdout: '' });
    expect(result.error()).toMatchObject({ code: 'contract_broken' });
    for (const each of [id, ANOTHER]) expect(result.error()['message']).toContain(each);
  });

  it('by hand ends with 1; what came is shown, as it always is there', async () => {
    const world = shop();
    const id = idOf(await world.svc(payout()));
    const result = await mixed(world, /GET .*\/payouts\//, `api GET /v2/payouts/${id}`);
    expect(result.exitCode).toBe(1);
    expect(result.error()['message']).toContain(id);
    expect(result.json()).toMatchObject({ id: ANOTHER });
  });

  it('of a payout is no pay-in, whatever the id', async () => {
    const { svc, service } = shop();
    const id = idOf(await svc(payout()));
    const transport = mixedUp(service.transport, /GET/, (operation) => ({ ...operation, type: 'payin' }));
    expect(await svc(`payouts get ${id}`, { transport })).toMatchObject({ exitCode: 1, stdout: '' });
    expect(await svc(`transactions get ${id}`, { transport })).toMatchObject({ exitCode: 0 });
  });

  it('is answered in capital letters as well, and asked for in them', async () => {
    const { svc, service } = shop();
    const id = idOf(await svc(payout()));
    const capitals = id.toUpperCase();
    const transport = mixedUp(service.transport, /GET/, (one) => ({ ...one, id: capitals }));
    expect((await svc(`payouts get ${id}`, { transport })).json()).toMatchObject({ id: capitals });
    expect((await svc(`payouts get ${capitals}`)).json()).toMatchObject({ id });
  });
});

describe('what is done to an operation', () => {
  it.each<[string, string[], string]>([
    ['payins confirm $ID --code 123456', debitOtp('00000002'), 'payins'],
    ['payouts cancel $ID', payout('00000002'), 'payouts'],
  ])('%s is unknown where call and lookup were answered with another: 12', async (line, create, noun) => {
    const world = shop();
    const id = idOf(await world.svc(create));
    const result = await mixed(world, /(POST|GET) .*\/v2\/pay(ins|outs)\/./, line.replace('$ID', id));
    expect(result).toMatchObject({ exitCode: 12, stdout: '' });
    const next = `svc ${noun} get ${id}`;
    expect(result.error()).toMatchObject({ code: 'outcome_unknown', outcome: 'unknown', next_command: next });
    expect(result.error()['message']).toContain(ANOTHER);
  });

  it('is not asked about live where the question would name another: nothing is cancelled', async () => {
    const world = shop();
    const env = { SVC_API_KEY: await liveKey(world.service) };
    const live = words('--live --insecure-loopback');
    const id = idOf(await world.svc([...payout('00000002'), ...live], { env }));
    world.service.posts.length = 0;
    const tty = { stdin: true, stderr: true };
    const cancel = [...words(`payouts cancel ${id}`), ...live, '--json'];
    const result = await mixed(world, /GET/, cancel, { env, tty, stdin: 'yes\n' });
    expect(result).toMatchObject({ exitCode: 1, stdout: '' });
    expect(result.stderr).not.toContain('Type yes');
    expect(world.service.posts).toEqual([]);
  });
});
