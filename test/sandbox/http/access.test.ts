import { describe, expect, it } from 'vitest';
import { expectRefusal } from '../support/expectations.js';
import type { Header } from '../support/exchange.js';
import { openWorld } from '../support/world.js';

const SITE = 'Sec-Fetch-Site';
const SAME_HOST: Header = ['Host', '127.0.0.1:4010'];
const PATHS = ['/clock', '/payments', '/keys', '/ping', '/deliveries/x/resend', '/faults', '/reset', '/none'];

describe.each<[string, readonly Header[]]>([
  ['another site', [[SITE, 'cross-site']]],
  ['another port of this machine', [[SITE, 'same-site']]],
  ['another site that names this host', [[SITE, 'cross-site'], ['Origin', 'http://127.0.0.1']]], // prettier-ignore
  ['two words on it', [[SITE, 'same-origin'], [SITE, 'cross-site']]], // prettier-ignore
  ['an empty word', [[SITE, '']]],
  ['another origin', [['Origin', 'https://example.com']]],
  ['another port as origin', [['Origin', 'http://127.0.0.1:3000']]],
  ['a name for the same host', [['Origin', 'http://localhost']]],
  ['an origin over TLS', [['Origin', 'https://127.0.0.1']]],
  ['an origin that begins alike', [['Origin', 'http://127.0.0.1.example.com']]],
  ['a file or a frame', [['Origin', 'null']]],
  ['no origin that is one', [['Origin', '']]],
  ['two origins', [['Origin', 'http://127.0.0.1'], ['origin', 'https://example.com']]], // prettier-ignore
])('a page: %s', (_what, headers) => {
  it('changes nothing, and may read as before', async () => {
    const world = await openWorld();
    await world.post('/v2/webhook-endpoints', { url: 'https://example.com/hook' });
    const before = (await world.control('GET', '/status')).text;
    for (const path of PATHS) {
      const call = { key: null, headers, body: { advance_seconds: 60 } };
      expectRefusal(await world.send('POST', `/_control${path}`, call), 'foreign_origin');
    }
    expectRefusal(await world.send('DELETE', '/_control/clock', { key: null, headers }), 'foreign_origin');
    const read = await world.send('GET', '/_control/status', { key: null, headers });
    expect([read.status, read.text]).toEqual([200, before]);
    expect(Object.keys(read.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

const FROM_PAGES: [string, string, readonly Header[]][] = [
  ['an image', 'GET', [['Host', '127.0.0.1:4010'], [SITE, 'cross-site'], ['Sec-Fetch-Mode', 'no-cors'], ['Sec-Fetch-Dest', 'image'], ['Referer', 'https://evil.example/']]], // prettier-ignore
  ['a form', 'POST', [['Host', 'localhost:4010'], [SITE, 'cross-site'], ['Sec-Fetch-Mode', 'navigate'], ['Origin', 'https://evil.example'], ['Content-Type', 'text/plain']]], // prettier-ignore
  ['a question before a script asks', 'OPTIONS', [['Host', '127.0.0.1:4010'], [SITE, 'cross-site'], ['Origin', 'https://evil.example'], ['Access-Control-Request-Method', 'POST']]], // prettier-ignore
  ['a page on another port', 'GET', [['Host', 'localhost:4010'], [SITE, 'same-site'], ['Origin', 'http://localhost:3000']]], // prettier-ignore
  ['an older browser', 'POST', [['Host', '127.0.0.1:4010'], ['Origin', 'null']]], // prettier-ignore
  ['such a name without TLS', 'GET', [['Host', 'evil.example:4010'], ['User-Agent', 'Mozilla/5.0 (X11) Firefox/140.0']]], // prettier-ignore
  ['a name that was pointed here', 'GET', [['Host', 'evil.example:4010'], [SITE, 'same-origin'], ['Sec-Fetch-Mode', 'cors']]], // prettier-ignore
];

describe.each(FROM_PAGES)('%s of another site', (_what, method, headers) => {
  it.each(['/v2/balances', '/sandbox/v2/balances', '/v2/payouts', '/v2/nowhere', '/'])(
    'at %s uses up no fault and is not in the log',
    async (path) => {
      const world = await openWorld();
      for (const route of ['balances', 'payouts.create'])
        await world.control('POST', '/faults', { route, status: 503 });
      const armed = (await world.control('GET', '/faults')).text;
      for (const key of [null, undefined]) {
        const reply = await world.send(method, path, { headers, ...(key === null ? { key } : {}) });
        expect([400, 403]).toContain(reply.status);
      }
      expect((await world.control('GET', '/faults')).text).toBe(armed);
      expect((await world.control('GET', '/requests')).json).toEqual({ requests: [], next: null });
      expect((await world.get('/v2/balances')).status).toBe(503);
    },
  );
});

const ICONS = 'favicon.ico favicon.ico?v=2 apple-touch-icon.png apple-touch-icon-precomposed.png';

it.each([...ICONS.split(' '), 'apple-touch-icon-120x120.png'])(
  '/%s, which browsers ask for by themselves, is not in the log, and what only looks like it is',
  async (name) => {
    const world = await openWorld();
    const call = { key: null, headers: [SAME_HOST, [SITE, 'same-origin']] } as const;
    for (const method of ['GET', 'HEAD'])
      expect((await world.send(method, `/${name}`, call)).status).toBe(404);
    expect((await world.control('GET', '/requests')).json).toEqual({ requests: [], next: null });
    await world.send('GET', `/v2/${name}`, call);
    expect((await world.control('GET', '/requests')).json).toMatchObject({ requests: [{ status: 404 }] });
  },
);

it('our own page and the address bar are answered by the service, and stand in the log', async () => {
  const world = await openWorld();
  for (const site of ['same-origin', 'none'])
    expect((await world.get('/v2/balances', { headers: [[SITE, site]] })).status).toBe(200);
  expect((await world.control('GET', '/requests')).json.requests).toHaveLength(2);
});

it.each<[string, readonly Header[]]>([
  ['curl', []],
  ['our own page', [[SITE, 'same-origin'], ['Origin', 'http://127.0.0.1']]], // prettier-ignore
  ['the address bar', [[SITE, 'none']]],
  ['an older browser on our own page', [['Origin', 'http://127.0.0.1']]],
  ['the same with its port', [['Host', 'localhost:4010'], ['Origin', 'http://LOCALHOST:4010']]], // prettier-ignore
])('%s moves the clock', async (_what, headers) => {
  const world = await openWorld();
  const call = { key: null, headers, body: { advance_seconds: 60 } };
  expect((await world.send('POST', '/_control/clock', call)).status).toBe(200);
});
