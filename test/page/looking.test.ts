import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/runtime/clock.js';
import { openSandbox } from '../../src/sandbox/sandbox.js';
import { seededRandom } from '../sandbox/support/random.js';
import { foundByAxe } from './axe.js';
import { CHROMIUM, openTab } from './browser.js';
import { listening, payinOf, payoutOf, servedHere, serveProgram } from './served.js';
import { IS_SOAK } from '../support/soak.js';
import { testFolder } from '../support/test-folder.js';

const MANY = IS_SOAK ? 5000 : 1000;
const ROWS_MAX = 80;
const FRAME_MS = 50;
/** Colours do not depend on the width, so only `npm run test:soak` looks at every combination. */
const LOOKS = '360 light, 1920 dark, 360 dark, 1024 light, 1024 dark, 1920 light'
  .split(', ')
  .slice(0, IS_SOAK ? 6 : 2)
  .map((look) => look.split(' ') as [string, 'light' | 'dark']);
const WIDTHS = ['360/1', '768/1', '768/2', '1080/1', '1280/1', '1280/2', '1920/1'];
const BESIDE_PX = 1080;
const [ASKING, EMPTY] = ['#/clock?asking', '#/operations?empty'];
const HOSTILE = [
  '<img src=x onerror="window.hit=1"><script>window.hit=1</script>',
  '\u202egnp.exe\u202c \u05d0\u05d1\u05d2 \u0001\u0000 end',
  'x'.repeat(200),
];

function withMany(): string {
  const home = testFolder();
  const store = join(home, 'sandbox.db');
  const sandbox = openSandbox({ store, clock: systemClock, random: seededRandom() });
  const headers = [
    ['Host', 'localhost'],
    ['Authorization', `Bearer ${sandbox.apiKey}`],
  ] as const;
  const made = sandbox.handleAll(
    Array.from({ length: MANY }, (_, at) => ({
      ...{ method: 'POST', target: '/sandbox/v2/payouts' },
      headers: [...headers, ['Idempotency-Key', `key-${String(at).padStart(8, '0')}`] as const],
      body: Buffer.from(JSON.stringify(payoutOf(`pay-${String(at)}`))),
    })),
  );
  sandbox.close();
  expect(made.every((answer) => !(answer instanceof Error) && answer.status === 201)).toBe(true);
  return home;
}

describe.skipIf(CHROMIUM === undefined)('the page (skipped where there is no chromium)', () => {
  const served = servedHere();

  it('has nothing that axe finds, light and dark, and is never wider than its window', async () => {
    await served.ask('POST', '/_control/reset', {});
    const { id } = await served.ask('POST', '/sandbox/v2/payins', payinOf('debit_otp', 'order-1'));
    await served.ask('POST', '/sandbox/v2/payouts', payoutOf('pay-1'));
    await served.ask('POST', '/sandbox/v2/payouts', {});
    await served.ask('POST', '/_control/faults', { route: 'balances', status: 503 });
    const { page, wrong } = await openTab(served.base, { reducedMotion: 'reduce' });
    await page.locator('nav a').first().waitFor();
    await served.ask('POST', '/sandbox/v2/webhook-endpoints', { url: 'http://127.0.0.1:9/hooks' });
    const ping = await served.ask<{ delivery_id: string }>('POST', '/_control/ping', {});
    const links = await page.locator('nav a').all();
    const views = await Promise.all(links.map(async (link) => (await link.getAttribute('href'))!));
    expect(views).toContain('#/operations');
    const found: string[] = [];
    views.push(`#/operations/${id}`, '#/requests/3', `#/webhooks/${ping.delivery_id}`, ASKING, EMPTY);
    for (const view of views) {
      if (view === EMPTY) await served.ask('POST', '/_control/reset', {});
      await page.goto(`${served.base}/${view}`);
      if (view === ASKING) await page.getByRole('button', { name: 'Reset' }).click();
      if (view === EMPTY) await page.getByText('More filters').click();
      await page.locator('main h2, main h3, main tbody a').first().waitFor();
      for (const [width, colorScheme] of LOOKS) {
        await page.setViewportSize({ width: Number(width), height: 800 });
        await page.emulateMedia({ colorScheme });
        const where = `${view}, ${width}, ${colorScheme}`;
        const wide = Number(await page.evaluate('document.documentElement.scrollWidth'));
        if (wide > Number(width)) found.push(`${where}: ${String(wide)} wide`);
        found.push(...(await foundByAxe(page)).map((one) => `${where}: ${one}`));
      }
    }
    expect([...found, ...wrong]).toEqual([]);
  });

  it('shows hostile texts as texts', async () => {
    await served.ask('POST', '/_control/reset', {});
    for (const text of HOSTILE) {
      const body = { ...payoutOf('x'), metadata: { text: text.repeat(text.length > 100 ? 15 : 1) } };
      await served.ask('POST', '/sandbox/v2/payouts', { ...body, reference: text });
      await served.ask('GET', `/sandbox/v2/banks?country=${encodeURIComponent(text)}`);
    }
    const { page, wrong } = await openTab(served.base, { viewport: { width: 360, height: 700 } });
    await page.getByText('<img src=x onerror=').first().waitFor();
    for (const view of ['operations', 'requests'] as const) {
      await page.goto(`${served.base}/#/${view}`);
      await page.locator('.rows a').first().waitFor();
      const links = (await page.locator('.rows a').all()).length;
      expect(links).toBeGreaterThanOrEqual(HOSTILE.length);
      for (let at = 0; at < links; at += 1) {
        await page.goto(`${served.base}/#/${view}`);
        await page.locator('.rows a').nth(at).click();
        await page.locator('.detail h3').first().waitFor();
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
      }
    }
    const hit = await page.evaluate('[window.hit ?? null, document.images.length, document.scripts.length]');
    expect(hit).toEqual([null, 0, 1]);
    expect(wrong).toEqual([]);
  });

  it(`scrolls through ${MANY.toLocaleString('en')} operations with a screen of them in the document`, async () => {
    const many = await serveProgram({ home: withMany() });
    onTestFinished(() => many.end());
    const { page } = await openTab(many.base, { viewport: { width: 1280, height: 900 } });
    await page.locator('.rows a').first().waitFor();
    const seen = await page.evaluate<Record<'most' | 'slow' | 'slowest' | 'count', number>>(`(async () => {
      const box = document.querySelector('.rows');
      const count = () => Number(box.querySelector('table').getAttribute('aria-rowcount'));
      let [most, slow, slowest, before] = [0, 0, 0, performance.now()];
      for (let whole = false; !whole; ) {
        const [at, known] = [box.scrollTop, count()];
        box.scrollTop += 3000;
        await new Promise((resolve) => requestAnimationFrame(resolve));
        const now = performance.now();
        slow += now - before > ${String(FRAME_MS)};
        slowest = Math.max(slowest, now - before);
        before = now;
        most = Math.max(most, box.querySelectorAll('tr').length);
        whole = box.scrollTop === at && known === ${String(MANY + 1)};
      }
      return { most, slow, slowest: Math.round(slowest), count: count() };
    })()`);
    const { slow, slowest } = seen;
    process.stdout.write(`${slow} frames of more than ${FRAME_MS} ms, the slowest ${slowest} ms\n`);
    expect(seen.count).toBe(MANY + 1);
    expect(seen.most).toBeLessThanOrEqual(ROWS_MAX);
    await page.getByRole('link', { name: /^pay-0 / }).waitFor();
  });

  it('a list longer than the screen keeps its columns at every width, and beside an open detail', async () => {
    const many = await serveProgram({ home: withMany() });
    onTestFinished(() => many.end());
    const { page } = await openTab(many.base);
    const found: string[] = [];
    for (const look of WIDTHS) {
      const [width, scale] = look.split('/').map(Number) as [number, number];
      for (const isOpen of [false, true].slice(0, width / scale < BESIDE_PX ? 1 : 2)) {
        await page.setViewportSize({ width: width / scale, height: 800 / scale });
        await page.goto(`${many.base}/#/operations`);
        await page.locator('.rows a').first().waitFor();
        if (isOpen) {
          await page.locator('.rows a').first().click();
          await page.locator('.detail h2').waitFor();
        }
        const unreadable = await page.evaluate<string[]>(`(async () => {
          const box = document.querySelector('.rows');
          box.scrollTop = 12_000;
          for (let frames = 0; frames < 3; frames += 1) await new Promise(requestAnimationFrame);
          const row = [...box.querySelectorAll('tbody tr:not(.space)')].find(
            (one) => one.getBoundingClientRect().top > box.getBoundingClientRect().top + 60);
          const seen = (element) => element?.offsetParent !== null && element?.getBoundingClientRect().width > 0;
          const whole = (element) => seen(element) && element.scrollWidth <= element.clientWidth + 1;
          const name = row.querySelector('.main');
          const amount = row.querySelector('td.number');
          const states = [...row.querySelectorAll('.state')].filter(seen);
          const right = Math.max(...states.map((one) => one.getBoundingClientRect().right));
          const limit = states[0]?.closest('td').getBoundingClientRect().right;
          return [
            ...(whole(name) && name.clientWidth >= 100 ? [] : ['name of ' + name.clientWidth + ' px']),
            ...(whole(amount) ? [] : ['amount']),
            ...(states.length === 1 && right <= limit ? [] : ['state']),
            ...(box.scrollWidth <= box.clientWidth ? [] : ['wider than its box']),
          ];
        })()`);
        found.push(...unreadable.map((what) => `${look} ${String(isOpen)}: ${what}`));
      }
    }
    expect(found).toEqual([]);
  });

  it('is for no page of another site: neither read, nor changed, nor framed, nor reached by another name', async () => {
    const port = await listening((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><title>another</title>');
    });
    for (const host of ['attacker.example', '127.0.0.1']) {
      const { page } = await openTab(`http://${host}:${String(port)}/`);
      const tried = await page.evaluate(`(async () => {
        const base = ${JSON.stringify(served.base)};
        const seen = [];
        for (const path of ['/', '/page.js', '/_control/companies', '/_control/requests'])
          seen.push(await fetch(base + path).then(() => path, () => 'refused'));
        const simple = { method: 'POST', mode: 'no-cors', headers: { 'Content-Type': 'text/plain' } };
        await fetch(base + '/_control/keys', { ...simple, body: '{"company":"evil"}' }).catch(() => null);
        const script = await new Promise((resolve) => {
          const made = Object.assign(document.createElement('script'), { src: base + '/page.js' });
          made.onload = () => resolve('loaded');
          made.onerror = () => resolve('refused');
          document.head.append(made);
        });
        const frame = Object.assign(document.createElement('iframe'), { src: base });
        document.body.append(frame);
        await new Promise((resolve) => (frame.onload = resolve));
        return [...seen, script];
      })()`);
      expect(tried).toEqual(Array.from({ length: 5 }, () => 'refused'));
      const [, frame] = page.frames();
      expect(await frame?.locator('#page').count()).toBe(0);
    }
    const { companies } = await served.ask<{ companies: object[] }>('GET', '/_control/companies');
    expect(companies).not.toContainEqual(expect.objectContaining({ name: 'evil' }));
    const { page } = await openTab('about:blank');
    const rebound = await page.goto(`http://attacker.example:${String(served.port)}/`);
    expect(rebound?.status()).toBe(400);
  });
});
