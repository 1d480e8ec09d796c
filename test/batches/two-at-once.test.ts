import { describe, expect, it } from 'vitest';
import { people, person } from '../support/payroll.js';
import { batchHome } from '../support/batch-home.js';
import { payout } from '../support/requests.js';
import { NOT_ARRIVED, refusal } from '../support/shaky-sandbox.js';
import type { Result } from '../support/svc.js';
import type { Transport } from '../../src/runtime/transport.js';

const here = batchHome(people(3));
const { svc, pay } = here;
const DENIED = refusal(401, 'unauthorized');
const OWN = ['--reference', 'emp-0000', '--idempotency-key', 'key-of-one'];
const PAID = payout('20000000', '100.50').map((word) => word.replace('04121234567', '04121000000'));
const SINGLE = [...PAID, ...OWN];

function during(path: string, other: () => Promise<Result>): { transport: Transport; other: () => Result } {
  let result: Result | null = null;
  let hasBegun = false;
  return {
    transport: async (request, options) => {
      const answer = await here.shaky.transport(request, options);
      if (hasBegun || !new URL(request.url).pathname.endsWith(path)) return answer;
      hasBegun = true;
      result = await other();
      return answer;
    },
    other: () => {
      if (result === null) throw new Error('nothing ran meanwhile');
      return result;
    },
  };
}
const once = async (): Promise<void> => expect(Object.values(await here.shaky.ledger())).toEqual([1, 1, 1]);

describe('two batches', () => {
  it('of which one pays while the other is planned: the second hears of it from the book', async () => {
    const line = during('/v2/events', () => pay(people(3), 'second'));
    const first = await pay(people(3), 'first', '', { transport: line.transport });
    expect(line.other().json()).toMatchObject({ confirmed: 3 });
    expect(first.error()).toMatchObject({ code: 'references_paid', outcome: 'not_sent' });
    expect(first.error()['message']).toContain('batch second');
    expect((await svc('batches status first --json')).exitCode).toBe(5);
    await once();
  });

  it('that are resumed at once: one of them is refused', async () => {
    for (const name of ['first', 'second']) {
      here.shaky.next(DENIED);
      expect((await pay(people(3), name)).exitCode).toBe(4);
    }
    const line = during('/v2/events', () => svc('batches resume second --json'));
    const first = await svc('batches resume first --json', { transport: line.transport });
    expect(line.other().error()).toMatchObject({
      ...{ code: 'references_paid', outcome: 'not_sent', next_command: 'svc batches resume first' },
      message: expect.stringContaining('emp-0000: about to be sent (batch first, line 2)') as string,
    });
    expect(first.json()).toMatchObject({ confirmed: 3 });
    await once();
  });

  it('of which one is sending: what it has not sent yet counts as under way', async () => {
    let second: Result | null = null;
    here.shaky.onPost = async () => {
      if (here.shaky.posts.length === 1)
        second = await pay([person(39), person(77)], 'second', '--skip-paid');
    };
    expect((await pay(people(40), 'first')).json()).toMatchObject({ confirmed: 40 });
    const { message, ...error } = second!.error();
    expect(error).toMatchObject({ code: 'references_paid', next_command: 'svc batches resume first' });
    expect(message).toContain('emp-0039: about to be sent (batch first, line 41)');
    expect(here.shaky.posts).toHaveLength(40);
  });
});

describe('a batch and a single create', () => {
  it('that is sent while the batch reads the events: the batch is refused, and the create comes first', async () => {
    here.shaky.next(...NOT_ARRIVED);
    const line = during('/v2/events', () => svc(SINGLE));
    const batch = await svc(`payouts batch ${here.file} --json`, { transport: line.transport });
    expect(line.other()).toMatchObject({ exitCode: 12 });
    expect(batch.failure()).toBe('13 references_paid');
    expect(batch.error()['next_command']).toBe('svc requests repeat -- key-of-one');
    expect(here.shaky.posts).toHaveLength(3);
    expect((await here.paste(batch.error()['next_command'])).exitCode).toBe(0);
    const rest = await svc(`payouts batch ${here.file} --skip-paid --json`);
    expect(rest.json()).toMatchObject({ confirmed: 2, earlier: 1 });
    await once();
  });

  it('whose batch waits for a person: the create is refused already', async () => {
    await pay([person(7)], 'shown');
    const letters = (await svc(['events', 'list', '--all', '--jq', '.data.concept'])).stdout.slice(5, 8);
    const id = (await svc(['events', 'list', '--all', '--jq', '.data.id'])).stdout.trim();
    const line = during('', () => svc(SINGLE));
    const transport: Transport = (request, options) =>
      request.url.endsWith(`/v2/transactions/${id}`)
        ? line.transport(request, options)
        : here.shaky.transport(request, options);
    const batch = await svc(`payouts batch ${here.file} --company ${letters} --json`, { transport });
    expect(line.other().failure()).toBe('13 reference_open');
    expect(batch.json()).toMatchObject({ confirmed: 3 });
  });

  it('whose reference a batch is sending: the create is refused', async () => {
    let single: Result | null = null;
    here.shaky.onPost = async () => void (single ??= await svc(SINGLE));
    expect((await here.begin()).json()).toMatchObject({ confirmed: 3 });
    expect(single!.failure()).toBe('13 reference_open');
    expect(single!.error()['next_command']).toBe('svc batches resume pay');
    await once();
  });
});
