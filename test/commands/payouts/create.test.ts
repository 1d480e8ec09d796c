import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { operation, payout, PAYOUT_BODY, words } from '../../support/requests.js';
import type { Answer, Received, Service } from '../../support/service.js';
import { json, refusal, startService } from '../../support/service.js';
import { fresh } from '../../support/fresh.js';
import { world, type Result } from '../../support/svc.js';

/** What a create sent; what it asked about the time is none of it. */
const posts = (service: Service): Received[] => service.calls().filter(({ method }) => method === 'POST');

const home = fresh(world);
let stop = (): Promise<void> => Promise.resolve();
afterEach(() => stop());

describe('the body', () => {
  it('has a beneficiary, a purpose and metadata', async () => {
    const flags = ['--purpose', 'payroll', '--metadata', 'run=7', '--beneficiary', 'name=Ana Pérez'];
    const result = await home.svc([...payout(), ...flags, '--reference', 'r-1']);
    expect(result.exitCode, result.stderr).toBe(0);
    const given = { purpose: 'payroll', reference: 'r-1', metadata: { run: '7' } };
    expect(result.json()).toMatchObject({ type: 'payout', status: 'confirmed', ...given });
  });

  it('has identifiers as people write them, which is said without showing them', async () => {
    const number = ['document.number=V-12.345.678', 'account_number=0412-1234567'];
    const fields = [...number, 'bank_code=0102 - BANCO DEL SUR'].flatMap((one) => ['--beneficiary', one]);
    const words = [...payout().slice(0, payout().indexOf('--beneficiary')), ...fields];
    const dry = await home.svc([...words, '--dry-run']);
    const document = { type: 'V', number: '12345678' };
    const beneficiary = { document, bank_code: '0102', account_number: '04121234567' };
    expect(dry.json()['body'], dry.stderr).toMatchObject({ beneficiary });
    for (const said of ['document.type is sent as V', 'document.number is sent as ***5678'])
      expect(dry.stderr).toContain(`beneficiary.${said}.`);
    expect(dry.stderr).toContain('beneficiary.account_number is sent as ***4567.');
    expect((await home.svc(words)).json()).toMatchObject({ status: 'confirmed' });
  });

  it('keeps its identifiers where it came as data', async () => {
    const data = PAYOUT_BODY.replace('"12345678"', '"V-12.345.678"');
    expect((await home.svc(['payouts', 'create', '--data', data])).exitCode).toBe(2);
  });

  const WRONG = ['--purpose gift', '--beneficiary email=a@b.c', '--metadata-json {'];
  it.each(WRONG)('%s ends with 2', async (flag) => {
    expect(await home.svc([...payout(), ...words(flag)])).toMatchObject({ exitCode: 2, stdout: '' });
  });
});

describe('country and currency', () => {
  it('come from the profile', async () => {
    const service = await serve(json(201, operation()));
    const add = `profiles add shop --base-url ${service.url} --country VE --currency VES --key-stdin`;
    await home.svc(add, { stdin: 'svc_test_0123456789' });
    const line = payout().filter((word) => !['--country', 'VE', '--currency', 'VES'].includes(word));
    const result = await home.svc(line, { wire: true });
    expect(result.exitCode, result.stderr).toBe(0);
    expect(JSON.parse(posts(service)[0]?.body ?? '')).toMatchObject({ country: 'VE', currency: 'VES' });
  });

  it('come from the catalog where only one is possible', async () => {
    const line = payout().filter((word) => !['--currency', 'VES'].includes(word));
    expect((await home.svc([...line, '--dry-run'])).json()).toMatchObject({ body: { currency: 'VES' } });
    const usd = ['payouts', 'create', '--method', 'bank_transfer', '--currency', 'USD', '--amount', '20.00'];
    const party = 'document.type=RUT document.number=12345678K bank_code=012 account_number=123456';
    const beneficiary = words(party).flatMap((field) => ['--beneficiary', field]);
    const dry = await home.svc([...usd, ...beneficiary, '--dry-run']);
    expect(dry.json()).toMatchObject({ body: { country: 'CL', currency: 'USD' } });
  });

  it('are asked for where several are', async () => {
    const result = await home.svc('payins create --method direct_debit --amount 1.00');
    expect(result).toMatchObject({ exitCode: 2 });
    expect(result.error()['details']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ field: 'country', code: 'required' }),
        expect.objectContaining({ field: 'currency', code: 'required' }),
      ]),
    );
  });
});

describe('--wait', () => {
  it('follows a payout until it is final', async () => {
    const result = await home.svc([...payout('00000002'), '--wait']);
    expect(result).toMatchObject({ exitCode: 0 });
    expect(result.json()).toMatchObject({ status: 'confirmed' });
  });

  it('ends at --wait-timeout with the command that goes on', async () => {
    const service = await serve(json(201, operation({ status: 'pending', pending_reason: 'processing' })));
    const result = await home.svc([...payout(), '--wait-timeout', '5s'], { env: service.env, wire: true });
    expect(result).toMatchObject({ exitCode: 8 });
    expect(result.error()['next_command']).toBe(`svc transactions get --wait ${String(operation()['id'])}`);
  });
});

describe('the catalog', () => {
  let capabilities: Record<string, unknown>;
  beforeEach(async () => {
    const sandbox = world();
    capabilities = (await sandbox.svc('capabilities')).json();
    sandbox.remove();
  });
  const catalog = (): Answer => json(200, capabilities);
  const reads = (service: Service): number =>
    service.received.filter(({ target }) => target.endsWith('/v2/capabilities')).length;
  const send = (service: Service, line: readonly string[]): Promise<Result> =>
    home.svc(line, { env: service.env, wire: true });

  it('is fetched once and kept, for the user alone, for a day', async () => {
    const service = await serve(json(201, operation()), catalog);
    expect(await send(service, payout())).toMatchObject({ exitCode: 0 });
    expect(await send(service, payout())).toMatchObject({ exitCode: 0 });
    expect(reads(service)).toBe(1);
    const folder = home.ports.paths.cache;
    const [name = ''] = readdirSync(folder);
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(folder, name), 'utf8')).not.toContain('svc_test');
    home.clock.advance(25 * 3_600_000);
    await send(service, payout());
    expect(reads(service)).toBe(2);
  });

  it('is not believed where it was fetched in the future', async () => {
    const service = await serve(json(201, operation()), catalog);
    await send(service, payout());
    home.clock.advance(-1);
    expect(await send(service, payout())).toMatchObject({ exitCode: 0 });
    expect(reads(service)).toBe(2);
    expect(await send(service, payout())).toMatchObject({ exitCode: 0 });
    expect(reads(service)).toBe(2);
  });

  it.each<[string, (text: string) => string]>([
    ['was cut short', (text) => text.slice(0, -40)],
    ['was changed by hand', (text) => text.replace('500000.00', '999999.00')],
    ['is of another version', (text) => text.replace(/"version":"[^"]+"/, '"version":"0.0.0"')],
    ['is empty', () => ''],
    ['is no JSON', () => '<html>\n<html>'],
  ])('is not believed where its file %s', async (_name, damage) => {
    const service = await serve(json(201, operation()), catalog);
    await send(service, payout());
    const folder = home.ports.paths.cache;
    const file = join(folder, readdirSync(folder)[0] ?? '');
    const [whole, damaged] = [readFileSync(file, 'utf8'), damage(readFileSync(file, 'utf8'))];
    expect(damaged).not.toBe(whole);
    writeFileSync(file, damaged);
    expect(await send(service, payout())).toMatchObject({ exitCode: 0 });
    expect(reads(service)).toBe(2);
    expect(catalogOf(readFileSync(file, 'utf8'))).toBe(catalogOf(whole));
  });

  it('is fetched once more before anything is refused', async () => {
    let isOld = true;
    const old = JSON.parse(JSON.stringify(capabilities).replaceAll('500000.00', '4.00')) as object;
    const service = await serve(json(201, operation()), () => json(200, isOld ? old : capabilities));
    expect(await send(service, payout())).toMatchObject({ exitCode: 2 });
    isOld = false;
    expect(await send(service, payout())).toMatchObject({ exitCode: 0 });
    expect(reads(service)).toBe(2);
    expect(await send(service, payout('12345678', '0.01'))).toMatchObject({ exitCode: 2 });
    expect(reads(service)).toBe(3);
    expect(posts(service)).toHaveLength(1);
  });

  it('is fetched again after a rejection that it did not foresee', async () => {
    let answer = refusal(400, 'bank_unsupported');
    const service = await serve((...all) => answer(...all), catalog);
    expect(await send(service, payout())).toMatchObject({ exitCode: 6 });
    answer = json(201, operation());
    expect(await send(service, payout())).toMatchObject({ exitCode: 0 });
    expect(reads(service)).toBe(2);
  });

  it('may know more than this program: its methods and fields count', async () => {
    const renamed = (text: string): string =>
      text.replaceAll('mobile_payment', 'pigeon').replaceAll('account_number', 'coop');
    const newer = JSON.parse(renamed(JSON.stringify(capabilities))) as object;
    const service = await serve(json(201, operation({ method: 'pigeon' })), () => json(200, newer));
    const line = payout().map((word) => renamed(word));
    const result = await send(service, line);
    expect(result.exitCode, result.stderr).toBe(0);
  });
});

/** A cached catalog without how far the clocks were apart. */
function catalogOf(file: string): string {
  return file.replace(/"ahead_ms":-?[0-9]+/, '');
}

/** A service with a catalog (none without one) and one answer for everything else. */
async function serve(answer: Answer, catalog: () => Answer = () => refusal(404, 'route_not_found')) {
  const service = await startService((received, response, socket) => {
    const chosen = received.target.endsWith('/v2/capabilities') ? catalog() : answer;
    chosen(received, response, socket);
  });
  stop = service.stop;
  return service;
}

it('refuses metadata beyond 4 KB as it would be sent, and sends what fits exactly', async () => {
  const metadata = (length: number): string => JSON.stringify({ a: 'é'.repeat((length - 8) / 2) });
  expect(Buffer.byteLength(metadata(4096))).toBe(4096);
  const line = [...payout(), '--metadata-json'];
  const refused = await home.svc([...line, metadata(4098)]);
  expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
  const details = [{ field: 'metadata', code: 'invalid' }];
  expect(refused.error()).toMatchObject({ outcome: 'not_sent', details });
  expect(await home.svc([...line, metadata(4096)])).toMatchObject({ exitCode: 0 });
});
