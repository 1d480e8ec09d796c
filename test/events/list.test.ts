import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { payout } from '../support/requests.js';
import { json, startService, type Answer } from '../support/service.js';
import { world } from '../support/svc.js';

const home = world();
beforeAll(async () => {
  for (const amount of ['1.00', '2.00', '3.00', '4.00', '5.00']) await home.svc(payout('12345678', amount));
});
afterAll(() => home.remove());

type Page = Readonly<{ events: { data: { amount: string } }[]; next_cursor: string | null }>;
const amountsOf = (events: Page['events']): string[] => events.map(({ data }) => data.amount);
const ALL = ['1.00', '2.00', '3.00', '4.00', '5.00'];

describe('one page', () => {
  it('begins behind --cursor and ends at --limit', async () => {
    const first = (await home.svc('events list --limit 2')).json() as unknown as Page;
    expect(amountsOf(first.events)).toEqual(ALL.slice(0, 2));
    const cursor = first.next_cursor ?? '';
    const rest = (await home.svc(['event', 'list', '--cursor', cursor])).json() as unknown as Page;
    expect(amountsOf(rest.events)).toEqual(ALL.slice(2));
  });

  it('ends with 2 for a --limit that is no number, which is not even sent, and with 6 for another', async () => {
    for (const limit of ['0', 'x', '1.5'])
      expect(await home.svc(`events list --limit ${limit}`)).toMatchObject({ exitCode: 2 });
    expect(await home.svc('events list --limit 201')).toMatchObject({ exitCode: 6 });
  });

  it.each(['', ' --all'])('says where a cursor comes from that the service refuses%s', async (all) => {
    const refused = await home.svc(`events list --cursor x${all}`);
    expect(refused.exitCode).toBe(6);
    expect(refused.error()['message']).toContain('--cursor "$(svc events list --jq .next_cursor)"');
  });
});

describe('--all', () => {
  it('is NDJSON, an event a line, whatever the page', async () => {
    const result = await home.svc('events list --all --limit 2');
    const lines = result.stdout.trimEnd().split('\n');
    expect(amountsOf(lines.map((line) => JSON.parse(line) as Page['events'][0]))).toEqual(ALL);
    const onTerminal = await home.svc('events list --all', { tty: { stdout: true } });
    expect(onTerminal.stdout).toBe(result.stdout);
  });

  it('is one page of all of them with -o json, and rows with -o csv', async () => {
    const page = (await home.svc('events list --all --limit 2 --json')).json() as unknown as Page;
    expect(amountsOf(page.events)).toEqual(ALL);
    const csv = (await home.svc('events list --all --limit 2 -o csv')).stdout.trimEnd().split('\n');
    expect(csv).toHaveLength(6);
  });

  it('begins behind --cursor', async () => {
    const { next_cursor: cursor } = (await home.svc('events list --limit 3')).json() as unknown as Page;
    const result = await home.svc(`events list --all --cursor ${cursor ?? ''} -q .data.amount`);
    expect(result.stdout).toBe('4.00\n5.00\n');
  });

  it('is nothing where there is nothing', async () => {
    const fresh = world();
    expect(await fresh.svc('events list --all')).toMatchObject({ exitCode: 0, stdout: '' });
    fresh.remove();
  });

  it('prints what came before a page that never came, and says so', async () => {
    const page = json(200, '{"events":[{"id":"1"},  {"id":"2","n":1.10}],"next_cursor":"c1"}');
    const answers: Answer[] = [page, json(401, '{}')];
    let turn = 0;
    const service = await startService((...all) => answers[turn++]?.(...all));
    const result = await home.svc('events list --all', { env: service.env, wire: true });
    await service.stop();
    expect(result).toMatchObject({ exitCode: 4, stdout: '{"id":"1"}\n{"id":"2","n":1.10}\n' });
  });
});
