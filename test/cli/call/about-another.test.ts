/** An answer about another operation than was asked for, over whole commands: it is nobody's end, and nobody's output. */
import { describe, expect, it } from 'vitest';
import { ANOTHER, mixedUp } from '../../support/altered.js';
import { shop, type Shop } from '../../support/open-request.js';
import { debitOtp, incomingTransfer, payout, words } from '../../support/requests.js';
import { liveKey } from '../../support/shaky-sandbox.js';
import type { Result, RunOptions } from '../../support/svc.js';

const OTHER = { id: ANOTHER, status: 'confirmed', pending_reason: null };
const confirmedOther = (operation: object) => ({ ...operation, ...OTHER });

/** A command whose answers to such requests are about another operation, which is confirmed. */
const mixed = (
  { svc, service }: Shop,
  which: RegExp,
  line: string | readonly string[],
  options: RunOptions = {},
) => svc(line, { ...options, transport: mixedUp(service.transport, which, confirmedOther) });

const idOf = (result: Result): string => String(result.json()['id']);

/** Ends with 1, says both ids, and prints nothing. */
function refusesBoth(result: Result, id: string): void {
  expect(result).toMatchObject({ exitCode: 1, stdout: '' });
  expect(result.error()).toMatchObject({ code: 'contract_broken' });
  expect(result.error()['message']).toContain(id);
  expect(result.error()['message']).toContain(ANOTHER);
}

describe('a read', () => {
  it.each([
    ...['payouts get $ID', 'transactions get $ID', 'transactions trace $ID', 'payouts get $ID --wait'],
    ...['payouts get $ID --exit-status', 'transactions get $BEGINNING', 'operations find $ID'],
  ])('%s ends with 1 and both ids', async (line) => {
    const world = shop();
    const id = idOf(await world.svc(payout('00000002')));
    const typed = line.replace('$ID', id).replace('$BEGINNING', id.slice(0, 8));
    refusesBoth(await mixed(world, /GET .*\/v2\/(payouts|transactions)\//, typed), id);
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

describe('--wait', () => {
  it('of a create does not end with the end of another: 8, with its own payout, which is pending', async () => {
    const world = shop();
    const made = await mixed(world, /GET .*\/payouts\//, [...payout('00000002'), '--wait-timeout', '5s']);
    expect(made.exitCode).toBe(8);
    const id = idOf(made);
    expect(id).not.toBe(ANOTHER);
    expect(made.json()).toMatchObject({ status: 'pending' });
    const next = `svc transactions get --wait ${id}`;
    expect(made.error()).toMatchObject({ outcome: 'sent', next_command: next });
    expect(await world.open()).toEqual([]);
  });

  it('of a confirm does not either', async () => {
    const world = shop();
    const id = idOf(await world.svc(debitOtp('00000002')));
    const line = `payins confirm ${id} --code 123456 --wait-timeout 5s`;
    const confirmed = await mixed(world, /GET .*\/payins\//, line);
    expect(confirmed).toMatchObject({ exitCode: 8 });
    expect(confirmed.json()).toMatchObject({ id, status: 'pending' });
  });
});

describe('what is done to an operation', () => {
  it.each<[string, string[], string]>([
    ['payins confirm $ID --code 123456', debitOtp('00000002'), 'payins'],
    ['payins resend $ID', debitOtp(), 'payins'],
    ['payins cancel $ID', incomingTransfer(), 'payins'],
    ['payouts cancel $ID', payout('00000002'), 'payouts'],
    ['payins confirm $ID --code 123456 --wait', debitOtp(), 'payins'],
  ])('%s is unknown where call and lookup were answered with another: 12', async (line, create, noun) => {
    const world = shop();
    const id = idOf(await world.svc(create));
    const result = await mixed(world, /(POST|GET) .*\/v2\/pay(ins|outs)\/./, line.replace('$ID', id));
    expect(result).toMatchObject({ exitCode: 12, stdout: '' });
    const next = `svc ${noun} get ${id}`;
    expect(result.error()).toMatchObject({ code: 'outcome_unknown', outcome: 'unknown', next_command: next });
    expect(result.error()['message']).toContain(ANOTHER);
  });

  it('is looked up where only its answer was about another, and settled by that', async () => {
    const world = shop();
    const id = idOf(await world.svc(debitOtp()));
    const result = await mixed(world, /POST .*\/confirm$/, `payins confirm ${id} --code 123456`);
    expect(result).toMatchObject({ exitCode: 0 });
    expect(result.json()).toMatchObject({ id, status: 'confirmed' });
  });

  it('after a lost answer is not settled by a lookup that is about another', async () => {
    const world = shop();
    const id = idOf(await world.svc(debitOtp('00000002')));
    world.service.next('lost-before');
    const result = await mixed(world, /GET/, `payins confirm ${id} --code 123456`);
    expect(result).toMatchObject({ exitCode: 12, stdout: '' });
    expect(result.error()).toMatchObject({ next_command: `svc payins get ${id}` });
    expect((await world.svc(`payins get ${id}`)).json()).toMatchObject({ pending_reason: 'awaiting_code' });
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
