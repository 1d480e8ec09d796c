/**
 * Usage: `node scripts/pictures/page.js` writes into docs/pictures. With a folder, it writes every view at every width
 * into that folder.
 */
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const ROOT = join(import.meta.dirname, '..', '..');
const { CHROMIUM = '/usr/bin/chromium' } = process.env;
const [everywhere] = process.argv.slice(2);
const home = mkdtempSync(join(tmpdir(), 'svc-pictures-'));
const flags = [
  '--port',
  '4010',
  '--store',
  ':memory:',
  '--json',
  '--allow-http-webhooks',
  '--settle-after',
  '3600',
];
const server = spawn(process.execPath, [join(ROOT, 'bin', 'run.js'), 'sandbox', 'start', ...flags], {
  env: { PATH: process.env['PATH'], HOME: home },
  stdio: ['ignore', 'pipe', 'ignore'],
});
/** @type {{ base_url: string, api_key: string }} */
const ready = JSON.parse(String((await server.stdout[Symbol.asyncIterator]().next()).value));

/** @param {string} path @param {object} body @returns {Promise<any>} */
async function ask(path, body) {
  const authorization = `Bearer ${ready.api_key}`;
  const headers = {
    authorization,
    'idempotency-key': crypto.randomUUID(),
    'content-type': 'application/json',
  };
  const answer = await fetch(ready.base_url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return answer.json();
}

const party = { document: { type: 'V', number: '12345678' }, bank_code: '0102' };
/** @param {string} method @param {string} reference @param {string} amount */
const payin = (method, reference, amount) =>
  ask('/sandbox/v2/payins', {
    ...{ method, reference, amount, country: 'VE', currency: 'VES' },
    payer: { ...party, phone: '04121234567' },
  });
/** @param {string} reference @param {string} amount */
const payout = (reference, amount) =>
  ask('/sandbox/v2/payouts', {
    ...{ method: 'bank_transfer', reference, amount, country: 'VE', currency: 'VES' },
    beneficiary: { ...party, account_number: '01020123456789012345', name: 'Ana Pérez' },
  });

let isDown = true;
const receiver = createServer((request, response) => {
  request.resume();
  response.writeHead(isDown ? 500 : 200).end(isDown ? 'out of order' : 'thanks');
});
await new Promise((resolve) => receiver.listen(4020, '127.0.0.1', () => resolve(undefined)));
await ask('/sandbox/v2/webhook-endpoints', { url: 'http://127.0.0.1:4020/hooks' });
for (const [at, amount] of ['1250.00', '980.50', '1430.00', '1100.25'].entries())
  await payout(`payroll-2026-11-${String(at + 1).padStart(3, '0')}`, amount);
await payin('debit_otp', 'order-1043', '75.90');
const rent = await payin('incoming_mobile_payment', 'rent-november', '350.00');
await ask('/_control/payments', { for: rent.id, amount: '300.00' });
await ask('/_control/payments', { for: rent.id });
await new Promise((resolve) => setTimeout(resolve, 1000));
await ask('/_control/clock', { advance_seconds: 180 });
isDown = false;
await ask('/_control/clock', { advance_seconds: 3600 });
const order = await payin('debit_otp', 'order-1044', '120.00');
await payin('incoming_mobile_payment', 'rent-december', '350.00');
await payin('incoming_mobile_payment', 'rent-january', '0.10');
await ask('/_control/faults', { route: 'events.list', status: 503, count: 2 });

const browser = await chromium.launch({
  executablePath: CHROMIUM,
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
});
/** @param {string} name @param {string} view @param {{ width: number, height: number }} viewport @param {'light' | 'dark'} colorScheme */
async function take(name, view, viewport, colorScheme) {
  const page = await browser.newPage({ viewport, colorScheme });
  await page.goto(`${ready.base_url}/#/${view}`);
  await page.waitForTimeout(600);
  await page.screenshot({ path: name });
  await page.close();
  console.log(name);
}

try {
  if (everywhere === undefined) {
    const viewport = { width: 1280, height: 800 };
    await take(join(ROOT, 'docs/pictures/operations.png'), `operations/${rent.id}`, viewport, 'light');
    await take(join(ROOT, 'docs/pictures/waiting.png'), 'operations', viewport, 'dark');
  } else {
    mkdirSync(everywhere, { recursive: true });
    const first = await browser.newPage();
    await first.goto(ready.base_url);
    await first.locator('nav a').first().waitFor();
    const links = await first.locator('nav a').all();
    const hrefs = await Promise.all(links.map((link) => link.getAttribute('href')));
    await first.close();
    const views = hrefs.map((href) => (href ?? '').replace('#/', ''));
    const close = [`operations/${order.id}`, `operations/${rent.id}`, 'requests/11'];
    for (const view of [...views, ...close])
      for (const width of [360, 768, 1280, 1920])
        for (const scheme of /** @type {const} */ (['light', 'dark'])) {
          const name = `${view.replace('/', '-')}-${String(width)}-${scheme}.png`;
          await take(join(everywhere, name), view, { width, height: width < 500 ? 740 : 800 }, scheme);
        }
  }
} finally {
  await browser.close();
  receiver.close();
  receiver.closeAllConnections();
  server.kill();
  rmSync(home, { recursive: true, force: true });
}
