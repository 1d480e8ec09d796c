import { describe, expect, it } from 'vitest';
import { twoEnds } from '../../support/altered.js';
import { batchHome } from '../../support/batch-home.js';
import { payout } from '../../support/requests.js';
import { LOST } from '../../support/shaky-sandbox.js';
import type { Result } from '../../support/svc.js';

const here = batchHome([], 'live');
const { ends, said, options } = twoEnds(() => here.shaky.transport);
const svc = (line: string | readonly string[]): Promise<Result> => here.svc(line, options());
const REFERENCE = 'invoice-7';
const create = (words: readonly string[] = [], document?: string): Promise<Result> =>
  svc([...payout(document), '--reference', REFERENCE, ...words]);
const OWN = ['--idempotency-key', 'invoice-7-key'];

async function made(words: readonly string[], document: string | undefined, status: string): Promise<string> {
  const id = String((await create(words, document)).json()['id']);
  ends.set(id, 'instead');
  said.status = status;
  return id;
}

describe.each([
  ['confirmed, and then read as failed', undefined, 'failed'],
  ['failed, and then read as confirmed', '00000001', 'confirmed'],
])('an operation that was %s', (_name, document, status) => {
  it.each([
    ['and reference alone', []],
    ['and a key of its own', OWN],
  ])('refuses the same create, by its %s', async (_what, words) => {
    const id = await made(words, document, status);
    await svc(`payouts get ${id}`);
    const posts = here.shaky.posts.length;
    const again = await create(words, document);
    expect(again.error(), again.stderr).toMatchObject({
      ...{ exit_code: 13, code: 'reference_contradicted' },
      next_command: `svc requests resolve --operation ${id} --live --insecure-loopback`,
    });
    const keys = new Set(here.shaky.posts.slice(posts).map(({ headers }) => headers['idempotency-key']));
    expect([...keys]).toEqual(words.length === 0 ? [] : ['invoice-7-key']);
    expect(await here.shaky.ledger(await key())).toEqual({ [REFERENCE]: 1 });
  });

  it.each([[false], [true]])('is told by its key (%s) or by its id alone', async (isByKey) => {
    const id = await made(OWN, document, status);
    await svc(`payouts get ${id}`);
    const words = isByKey ? ['invoice-7-key'] : [];
    const told = await svc(['requests', 'resolve', '--operation', id, ...words]);
    const idempotency = isByKey ? 'invoice-7-key' : null;
    expect(told.json(), told.stderr).toEqual({ idempotency_key: idempotency, operation: id, status });
    const next = await svc([...payout(), '--reference', REFERENCE, '--idempotency-key', 'another-key']);
    if (status === 'failed') expect(next.exitCode, next.stderr).toBe(0);
    else expect(next.error()).toMatchObject({ code: 'reference_paid' });
  });
});

it('an open create whose event says that it failed is asked for again, and contradicted by its answer', async () => {
  here.shaky.next(...LOST);
  const lost = await create();
  const made = here.shaky.posts.length;
  const [id = ''] = Object.keys(await operations());
  ends.set(id, 'instead');
  const again = await here.paste(lost.error()['next_command'], options());
  expect(again.failure(), again.stderr).toBe('13 reference_contradicted');
  expect(here.shaky.posts).toHaveLength(made + 1);
  said.status = 'confirmed';
  await here.paste(again.error()['next_command'], options());
  expect((await create()).error()).toMatchObject({ code: 'reference_paid' });
});

it('an open create whose event says that it failed is settled by its answer alone', async () => {
  here.shaky.next(...LOST);
  const lost = await create([], '00000001');
  here.shaky.next('lost-before', 'lost-before', 'lost-before');
  const still = await here.paste(lost.error()['next_command'], options());
  expect(still.error(), still.stderr).toMatchObject({ exit_code: 12 });
  expect((await here.paste(lost.error()['next_command'], options())).error()).toMatchObject({ exit_code: 9 });
  expect((await create()).exitCode).toBe(0);
});

it('an open create with two events is for a person, however old it is', async () => {
  here.shaky.next(...LOST);
  const lost = await create();
  const [id = ''] = Object.keys(await operations());
  ends.set(id, 'also');
  for (const hours of [1, 30]) {
    here.home.clock.advance(hours * 3_600_000);
    const again = await here.paste(lost.error()['next_command'], options());
    expect(again.exitCode, again.stderr).toBe(13);
  }
  const told = await svc(['requests', 'resolve', '--operation', id]);
  expect(told.json()).toMatchObject({ status: 'confirmed' });
  expect((await here.paste(lost.error()['next_command'], options())).json()).toMatchObject({ id });
});

const key = async (): Promise<string> => (await here.otherKey()).SVC_API_KEY;

async function operations(): Promise<Record<string, string>> {
  const list = await svc('events list --all');
  const lines = list.stdout.split('\n').filter((line) => line !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const { data } = JSON.parse(line) as { data: { id: string; status: string } };
      return [data.id, data.status];
    }),
  );
}
