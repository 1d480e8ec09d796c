/** The program as it is built, behind a proxy: https goes through it, and what it cannot reach was certainly not sent. */
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { shell } from '../support/program.js';

it('asks the proxy for a tunnel, and ends with 11 where there is none', async () => {
  const home = mkdtempSync(join(tmpdir(), 'svc-proxy-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
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
