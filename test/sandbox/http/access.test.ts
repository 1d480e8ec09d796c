/** Control from a browser: a page of another site changes nothing, whatever it sends; curl and the server's own page do. */
import { describe, expect, it } from 'vitest';
import { expectRefusal } from '../support/expectations.js';
import type { Header } from '../support/exchange.js';
import { openWorld } from '../support/world.js';

const SITE = 'Sec-Fetch-Site';
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
