import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Stopped } from '../../src/runtime/ports.js';
import { NotAnswered, type Transport } from '../../src/runtime/transport.js';
import { people } from '../support/payroll.js';
import { batchHome } from '../support/batch-home.js';
import { refusal, UNAVAILABLE } from '../support/shaky-sandbox.js';
import type { RunOptions } from '../support/svc.js';

const here = batchHome(people(3));
const { svc } = here;
const begin = (options?: RunOptions) => svc(`payouts batch ${here.file} --concurrency 1 --json`, options);

function withPages(page: (url: URL) => { status: number; body: unknown }): Transport {
  return (request, options) => {
    const url = new URL(request.url);
    if (!url.pathname.endsWith('/v2/events')) return here.shaky.transport(request, options);
    const { status, body } = page(url);
    const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    return Promise.resolve({ status, headers: [['content-type', 'application/json']], body: bytes });
  };
}
const refusing = (status: number, code: string): Transport =>
  withPages(() => ({ status, body: { error: { code, message: 'Said by the service.' } } }));
const saying = (body: unknown): Transport => withPages(() => ({ status: 200, body }));
const CONTRADICTING = {
  ...{ id: '1', type: 'payout.failed', occurred_at: '2026-09-23T15:00:00Z' },
  data: { id: '2', status: 'confirmed' },
};
const circling = withPages((url) => {
  const next_cursor = url.searchParams.get('cursor') === 'a' ? 'b' : 'a';
  return { status: 200, body: { events: [{ id: '1', type: 'test.ping' }], next_cursor } };
});

const UNREADABLE: readonly [string, Transport][] = [
  ['answer 503', refusing(503, 'temporarily_unavailable')],
  ['answer with a page of HTML', saying('<html>')],
  ['hold an event that contradicts its operation', saying({ events: [CONTRADICTING], next_cursor: 'a' })],
  ['go in a circle', circling],
];

describe.each(UNREADABLE)('events that %s', (_name, transport) => {
  it('keep a new batch from leaving, and the line that is printed is the same one, for later', async () => {
    const result = await begin({ transport });
    expect(result).toMatchObject({ exitCode: 13, stdout: '' });
    expect(result.error()).toMatchObject({
      ...{ code: 'feed_unreadable', outcome: 'not_sent', retryable: true },
      next_command: `svc payouts batch ${here.file} --concurrency 1 --json`,
    });
    expect(here.shaky.posts).toEqual([]);
    expect((await here.paste(result.error()['next_command'])).json()).toMatchObject({ confirmed: 3 });
  });

  it('keep a resume and a retry from sending', async () => {
    here.shaky.next(...UNAVAILABLE, refusal(400, 'field_invalid'));
    await begin();
    const posts = here.shaky.posts.length;
    for (const words of ['batches resume pay --json', 'batches retry pay --failed --json'])
      expect((await svc(words, { transport })).error()).toMatchObject({ code: 'feed_unreadable' });
    expect(here.shaky.posts).toHaveLength(posts);
  });

  it('are not read with --skip-feed-check, which says so', async () => {
    const skipped = await svc(`payouts batch ${here.file} --skip-feed-check --json`, { transport });
    expect(skipped).toMatchObject({ exitCode: 0 });
    expect(skipped.stderr).toContain('svc did not read the events');
  });
});

it('a key that may not read them is what it is: 4, and nothing is sent', async () => {
  expect((await begin({ transport: refusing(403, 'scope_missing') })).failure()).toBe('4 scope_missing');
  expect(here.shaky.posts).toEqual([]);
});

describe('Ctrl-C while the events are read', () => {
  const stopping = (): RunOptions => {
    const controller = new AbortController();
    const transport: Transport = (request, options) => {
      if (!request.url.includes('/v2/events')) return here.shaky.transport(request, options);
      controller.abort(new Stopped('SIGINT', 130));
      return Promise.reject(new NotAnswered('aborted', true, 'stopped'));
    };
    return { transport, signal: controller.signal };
  };

  it('ends a run with 130: nothing was planned and nothing sent', async () => {
    expect(await begin(stopping())).toMatchObject({ exitCode: 130, stdout: '' });
    expect(here.shaky.posts).toEqual([]);
    expect((await svc('batches list --json')).json()).toEqual({ batches: [] });
  });

  it('ends a decision with 130, the row as it was', async () => {
    here.shaky.next({ status: 302, body: '' });
    await begin();
    const line = 'batches resolve pay --reference emp-0000 --not-paid --json';
    expect((await svc(line, stopping())).exitCode).toBe(130);
    expect((await svc('batches status pay --json')).json()).toMatchObject({ unknown: 1 });
  });
});

it('events of which nothing is kept, or an empty file, are read again, and what was paid is found', async () => {
  await begin();
  for (const isEmpty of [false, true]) {
    for (const name of ['feed.db', 'batches.db'])
      for (const end of ['', '-wal', '-shm']) rmSync(join(here.state, name + end), { force: true });
    if (isEmpty) writeFileSync(join(here.state, 'feed.db'), '');
    expect((await begin()).error()).toMatchObject({ code: 'references_paid' });
  }
  expect(here.shaky.posts).toHaveLength(3);
});
