import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { shell } from '../support/program.js';
import { payout } from '../support/requests.js';
import { json, startService } from '../support/service.js';
import { eachWorld } from '../support/svc.js';
import { testFolder } from '../support/test-folder.js';

it('asks the proxy for a tunnel, and ends with 11 where there is none', async () => {
  const home = testFolder();
  const asked: string[] = [];
  const proxy = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (bytes) => {
      asked.push(bytes.toString('latin1').split('\r\n')[0] ?? '');
      socket.end('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n');
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void proxy.close());
  const env = {
    SVC_BASE_URL: 'https://payments.example',
    SVC_API_KEY: 'svc_test_proxy',
    HTTPS_PROXY: `http://127.0.0.1:${String((proxy.address() as AddressInfo).port)}`,
  };
  const { code, stdout, stderr } = await shell('svc balances --json', home, { env });
  expect({ code, stdout }, stderr).toEqual({ code: 11, stdout: '' });
  expect(new Set(asked)).toEqual(new Set(['CONNECT payments.example:443 HTTP/1.1']));
});

describe('a proxy that is none', () => {
  const here = eachWorld();
  const account = { SVC_BASE_URL: 'https://payments.example', SVC_API_KEY: 'svc_test_proxy' };

  it.each([
    'proxy.corp:3128',
    'user:hunter2@proxy.corp:3128',
    'socks5://proxy.corp',
    'no url',
    'http:',
    '//proxy',
    'http:proxy.corp',
    'http://user:100%hunter2@127.0.0.1:3128',
    'http://%u:hunter2@127.0.0.1:3128',
  ])('%s is 2, names its variable, and nothing is sent or kept', async (value) => {
    for (const name of ['HTTPS_PROXY', 'https_proxy']) {
      const env = { ...account, [name]: value };
      for (const line of ['balances', payout(), 'events tail']) {
        const result = await here.svc(line, { env, wire: true });
        expect(result).toMatchObject({ exitCode: 2, stdout: '' });
        expect(result.error()).toMatchObject({ code: 'proxy_invalid', outcome: 'not_sent' });
        expect(result.error()['message']).toContain(`${name} `);
        expect(result.stderr).not.toContain('hunter2');
        expect(result.stderr).not.toContain('defect');
      }
    }
    expect((await here.svc('requests list', { env: account })).json()).toEqual({ requests: [] });
  });

  it('does not matter where nothing would go through it', async () => {
    const env = { HTTPS_PROXY: 'proxy.corp:3128' };
    expect(await here.svc('balances', { env, wire: true })).toMatchObject({ exitCode: 0 });
    const service = await startService(json(200, { balances: [] }));
    expect(await here.svc('balances', { env: { ...env, ...service.env }, wire: true })).toMatchObject({
      exitCode: 0,
    });
  });
});
