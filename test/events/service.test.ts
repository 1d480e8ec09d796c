import { describe, expect, it } from 'vitest';
import { Stopped } from '../../src/runtime/ports.js';
import { NotAnswered, type Transport } from '../../src/runtime/transport.js';
import { eventJson, ids, pageBody } from '../feed/feed.js';
import { FEED_ENV, feedLine, listFeed, ok } from '../support/feed-line.js';
import { payout } from '../support/requests.js';
import { eachWorld, watched, type RunOptions } from '../support/svc.js';
import '../support/starting.js';

const home = eachWorld();

const TO = '--to http://127.0.0.1:3000/hooks';
const TRACE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

async function run(line: string | readonly string[], options: RunOptions & { receive?: () => number } = {}) {
  const { receive = () => 200, ...rest } = options;
  const transport = feedLine(listFeed(ids(3)), receive);
  const words = typeof line === 'string' ? line.split(' ') : line;
  const result = await home.svc(words, { transport, ...rest, env: { ...FEED_ENV, ...rest.env } });
  const lines = result.stderr.trimEnd().split('\n');
  const entries = () => lines.map((text) => JSON.parse(text) as Record<string, unknown>);
  return { ...result, transport, entries };
}

describe('the flags of health', () => {
  it.each([
    ['--health 9x', '--health must be a whole number from 0 to 65535'],
    ['--health 70000', '--health must be a whole number from 0 to 65535'],
    ['--health-host 0.0.0.0', '--health-host needs --health PORT'],
    ['--max-lag soon', '--max-lag must be a duration'],
    ['--max-lag 2s', '--max-lag must be longer than --interval'],
    ['--interval 10m', '--max-lag must be longer than --interval'],
    ['--health 0 --health-host no.such.host.invalid', '--health-host is not an address of this machine'],
    ['--health 0 --health-host 203.0.113.7', '--health-host is not an address of this machine'],
    ['--log xml', '--log cannot be "xml": use text or json.'],
  ])('%s is refused, and nothing is read', async (flags, text) => {
    for (const command of [`events forward ${TO}`, 'events tail']) {
      const { exitCode, error, transport } = await run(`${command} --no-follow ${flags}`);
      expect([exitCode, transport.asked]).toEqual([2, []]);
      expect(error()['message']).toContain(text);
    }
  });

  it('says where it is, whatever port was free; a port that is taken is 16', async () => {
    const { exitCode, stderr } = await run('events tail --no-follow --health 0 --max-lag 1h');
    expect(exitCode).toBe(0);
    const said = /^Health is at http:\/\/127\.0\.0\.1:(\d+)\/healthz, metrics at \/metrics\.$/m;
    const [, port = ''] = said.exec(stderr) ?? [stderr];
    const { createServer } = await import('node:net');
    const taken = createServer().listen(Number(port), '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const refused = await run(`events tail --no-follow --health ${port}`);
    taken.close();
    expect([refused.exitCode, refused.transport.asked]).toEqual([16, []]);
    const text = `Port ${port} is in use. Use another one, or --health 0 for a free one.`;
    expect(refused.error()['message']).toContain(text);
  });

  it('says where it is beyond this machine, and in the form of IPv6', async () => {
    const { stderr } = await run('events tail --no-follow --health 0 --health-host ::1');
    expect(stderr).toMatch(/http:\/\/\[::1\]:\d+\/healthz/);
  });
});

describe('--log json', () => {
  it('is one object a line: what was accepted, what was not, and each note', async () => {
    let count = 0;
    const { exitCode, entries } = await run(`events forward ${TO} --no-follow --log json`, {
      receive: () => ((count += 1) === 2 ? 500 : 204),
    });
    expect(exitCode).toBe(0);
    const time = expect.stringMatching(/^2026-09-23T15:00:\d\d\.\d{3}Z$/) as string;
    const entry = (event_id: string, attempt: number, msg = 'Accepted.', level = 'info') => ({
      ...{ level, time, event_id, attempt, ms: expect.any(Number) as number, msg },
    });
    const refused = 'The receiver did not accept event e2: the answer was 500. svc tries again in 1 s.';
    const [first, repeated, last] = [entry('e1', 1), entry('e2', 2), entry('e3', 1)];
    expect(entries()).toEqual([first, entry('e2', 1, refused, 'warn'), repeated, last]);
  });

  it('is so for a program, for what is waited out, and with the requests of --debug', async () => {
    const transport = feedLine((cursor, count) =>
      count === 1 ? new NotAnswered('connect', false, 'connection refused') : listFeed(ids(2))(cursor, count),
    );
    const controller = new AbortController();
    const stopping = watched(transport, () => {
      if (transport.asked.length > 3) controller.abort(new Stopped('SIGTERM', 143));
    });
    const words = ['events', 'tail', '--log=json', '--debug', '--exec', 'exit 0'];
    const ran = await run(words, { signal: controller.signal, transport: stopping });
    const { stderr, exitCode } = ran;
    const entries = ran.entries();
    expect(exitCode).toBe(143);
    const accepted = entries.filter(({ msg }) => msg === 'Accepted.');
    expect(accepted.map(({ event_id: id }) => id)).toEqual(['e1', 'e2']);
    expect(entries.map(({ level }) => level)).toEqual(expect.arrayContaining(['debug', 'warn', 'info']));
    expect(stderr).toContain('The service could not be reached: connection refused.');
    expect(stderr).not.toContain('feedfeedfeed');
    expect(entries.at(-1)).toMatchObject({
      level: 'info',
      msg: 'Stopped by SIGTERM. No checkpoint was kept.',
      error: { code: 'stopped', exit_code: 143 },
    });
  });

  it('ends with the error, whatever it is, and holds no secret', async () => {
    const { stdout: secret } = await home.svc('events forward --print-secret');
    const options = { receive: () => 500, env: { SVC_WEBHOOK_SECRET: 'whsec_other' } };
    const { exitCode, entries, stderr } = await run(`events forward ${TO} --no-follow --log json`, options);
    expect(exitCode).toBe(10);
    expect(entries().at(-1)).toMatchObject({
      level: 'error',
      msg: expect.stringContaining('did not accept event e1') as string,
      error: { code: 'delivery_exhausted', exit_code: 10, retryable: true },
    });
    expect(stderr).not.toContain(secret.trim().slice(6));
    const refused = { level: 'error', error: { exit_code: 2 } };
    for (const wrong of ['', '--nonsense'])
      expect((await run(`events forward --log json ${wrong}`.trim())).entries()).toMatchObject([refused]);
  });

  it('stays in one line whatever the service says, and --quiet leaves the error alone', async () => {
    const wild = feedLine(
      () => ok(pageBody([eventJson('e\\n1\u001b[31m')], 'c')),
      () => 200,
    );
    const line = `events forward ${TO} --no-follow --log json`;
    const { stderr, entries } = await run(line, { transport: wild });
    expect(entries()).toHaveLength(1);
    expect(stderr).not.toContain('\u001b');
    expect((await run(`${line} --quiet`)).stderr).toBe('');
  });

  it.each(['', ' --log text'])('is text unless it is asked for:%s', async (flag) => {
    expect((await run(`events forward ${TO} --no-follow${flag}`)).stderr).toBe('');
  });
});

describe('TRACEPARENT', () => {
  const traced = async (value: string) => {
    const transport = feedLine(listFeed(ids(2)), () => 200);
    const headers: Record<string, string>[] = [];
    const seen = watched(transport, (request) => headers.push(request.headers));
    const env = { TRACEPARENT: value };
    const result = await run(`events forward ${TO} --no-follow`, { env, transport: seen });
    return { ...result, headers, transport };
  };

  it('goes to the service with every request, and to the receiver beside the signature', async () => {
    const { headers, transport } = await traced(TRACE);
    expect(headers.length).toBeGreaterThan(3);
    expect(new Set(headers.map((one) => one['traceparent']))).toEqual(new Set([TRACE]));
    expect(transport.delivered[0]?.headers).toMatchObject({ 'X-Id-Evento': 'e1' });
  });

  it('is passed on by a create', async () => {
    const sent: (string | undefined)[] = [];
    const transport: Transport = (request) => {
      if (request.method === 'POST') sent.push(request.headers['traceparent']);
      return Promise.reject(new NotAnswered('connect', false, 'refused'));
    };
    await home.svc(payout(), { env: { ...FEED_ENV, TRACEPARENT: TRACE }, transport });
    expect(new Set(sent)).toEqual(new Set([TRACE]));
  });

  it.each(['nonsense', `${TRACE}\r\nx-evil: 1`])(
    'that is none is left out, and that is said: %j',
    async (wrong) => {
      const { exitCode, stderr, headers } = await traced(wrong);
      expect(exitCode).toBe(0);
      expect(headers.filter((one) => 'traceparent' in one)).toEqual([]);
      expect(stderr).toContain('TRACEPARENT is not a W3C traceparent, so svc does not pass it on.');
    },
  );

  it.each([
    [TRACE, TRACE],
    ['nonsense', ''],
  ])('is seen by a program of --exec only where it is one: %s', async (value, meant) => {
    const shows = 'test -z "${NOTIFY_SOCKET+x}${WATCHDOG_USEC+x}" && test "$TRACEPARENT" = "$MEANT"';
    const env = { TRACEPARENT: value, MEANT: meant, WATCHDOG_USEC: '1000000' };
    const { exitCode } = await run(['events', 'tail', '--no-follow', '--exec', shows], { env });
    expect(exitCode).toBe(0);
  });
});
