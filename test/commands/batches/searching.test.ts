/** A batch that looks into the events for what was never answered: what goes wrong there does not hide how its rows stand. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Stopped } from '../../../src/runtime/ports.js';
import { NotAnswered, type Transport } from '../../../src/runtime/transport.js';
import { csv, fileIn, people } from '../../support/payroll.js';
import { shakySandbox, type ShakySandbox } from '../../support/shaky-sandbox.js';
import { world, type Result, type RunOptions, type World } from '../../support/svc.js';

let home: World;
let shaky: ShakySandbox;
let asked: string[];
beforeEach(async () => {
  home = world();
  shaky = shakySandbox(home.clock);
  asked = [];
  const file = fileIn(home.home, 'pay.csv', csv(people(3)));
  shaky.next('lost-after', 'lost-after', 'lost-after');
  await svc(`payouts batch ${file} --batch pay --concurrency 1 --json`);
  home.clock.advance(23.5 * 3_600_000);
});
afterEach(() => {
  shaky.sandbox.close();
  home.remove();
});

const svc = (line: string, options: RunOptions = {}): Promise<Result> =>
  home.svc(line, { transport: shaky.transport, env: shaky.env, ...options });

type Page = (cursor: string | null) => { readonly status: number; readonly body: object };

/** The sandbox, whose events are these. */
function withEvents(page: Page): Transport {
  return (request, options) => {
    const url = new URL(request.url);
    if (!url.pathname.endsWith('/v2/events')) return shaky.transport(request, options);
    const cursor = url.searchParams.get('cursor');
    asked.push(cursor ?? 'start');
    const { status, body } = page(cursor);
    const headers: [string, string][] = [['content-type', 'application/json']];
    return Promise.resolve({ status, headers, body: Buffer.from(JSON.stringify(body)) });
  };
}
const refusing = (status: number, code: string): Transport =>
  withEvents(() => ({ status, body: { error: { code, message: 'Said by the service.' } } }));

describe('events that can not be searched', () => {
  it.each([
    ['are away', 503, 'temporarily_unavailable'],
    ['are refused for want of a scope', 403, 'scope_missing'],
  ])('%s: the run still prints its summary and ends by its rows', async (_why, status, code) => {
    const result = await svc('batches resume pay --json', { transport: refusing(status, code) });
    expect(result.exitCode, result.stderr).toBe(12);
    expect(result.json()).toMatchObject({ rows: 3, confirmed: 2, unknown: 1, states: { needs_review: 1 } });
    expect(result.error()).toMatchObject({ code: 'needs_review', outcome: 'unknown' });
    expect(result.stderr).toContain('the events were not searched');
  });

  it('go in a circle: it is left after the page that closes it', async () => {
    const next: Record<string, string> = { start: 'a', a: 'b', b: 'a' };
    const transport = withEvents((cursor) => ({
      status: 200,
      body: { events: [{ id: '1' }], next_cursor: next[cursor ?? 'start'] },
    }));
    const result = await svc('batches resume pay --json', { transport });
    expect(result.exitCode, result.stderr).toBe(12);
    expect(result.stderr).toContain('its cursors run in a circle');
    expect(asked).toEqual(['start', 'a', 'b']);
  });
});

describe('Ctrl-C while the events are read', () => {
  /** As the wire does it: the request under way is given up. */
  const stopping = () => {
    const controller = new AbortController();
    const transport: Transport = (request, options) => {
      if (!request.url.includes('/v2/events')) return shaky.transport(request, options);
      controller.abort(new Stopped('SIGINT', 130));
      return Promise.reject(new NotAnswered('aborted', true, 'stopped'));
    };
    return { transport, signal: controller.signal };
  };

  it('ends a run with 130, its summary printed', async () => {
    const result = await svc('batches resume pay --json', stopping());
    expect(result.exitCode, result.stderr).toBe(130);
    expect(result.json()).toMatchObject({ rows: 3, confirmed: 2, unknown: 1 });
    expect(result.stderr).not.toContain('were not searched');
  });

  it('ends a decision with 130, the row as it was', async () => {
    await svc('batches resume pay --json');
    const line = 'batches resolve pay --reference emp-0000 --not-paid --json';
    const result = await svc(line, stopping());
    expect(result.exitCode, result.stderr).toBe(130);
    expect((await svc('batches status pay --json')).json()).toMatchObject({ unknown: 1 });
  });
});
