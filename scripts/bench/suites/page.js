import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { spread } from '../measure.js';

export const title = 'The page of a sandbox';
export const note =
  'In a chromium without a window: from asking for the page until its first operation is there; from the answer to a payout until a ' +
  'frame shows it (a payout every other second); frames while 5,000 operations are scrolled through; and what 300 payouts cost the server with a view open, beside ' +
  'the same without one.';

const RUNS = 15;
const OPERATIONS = 5000;
const AT_ONCE = 100;
const FRAME_MS = 50;
const BURST = 300;
const BURST_RUNS = 7;
const SETTLED_MS = 1500;
const VIEWS = ['operations', 'requests', 'webhooks', 'clock', 'companies', 'new', 'state'];
const { CHROMIUM = '/usr/bin/chromium' } = process.env;

/** @param {import('../stage.js').Stage} stage */
export async function* run(stage) {
  const sizes = ['page.html', 'page.js', 'page.css'].map(
    (name) => gzipSync(readFileSync(join(stage.root, 'dist', name))).length,
  );
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  yield { what: 'weight, compressed', unit: 'kB', goal: { atMost: 40 }, ...spread([bytes / 1000], 1) };

  const served = await stage.sandbox(':memory:', ['--quiet']);
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await chromium.launch({ executablePath: CHROMIUM, args });
  try {
    await pay(served, 'first');
    const [shown, seen] = [await shows(browser, served), await follows(browser, served)];
    yield { what: 'until it is shown', unit: 'ms', goal: { atMost: 200 }, ...spread(shown, 0) };
    yield {
      what: 'until it shows what happened',
      unit: 'ms',
      goal: { atMost: 100 },
      ...spread(seen, 0),
    };
    for (let made = 0; made < OPERATIONS; made += AT_ONCE)
      await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => pay(served, `pay-${made + at}`)));
    const frames = await scrolls(browser, served);
    yield { what: 'a frame while scrolling', unit: 'ms', ...spread(frames, 1) };
    const slow = frames.filter((ms) => ms > FRAME_MS).length;
    yield { what: 'frames of more than 50 ms', unit: 'frames', goal: { atMost: 0 }, ...spread([slow], 0) };
    for (const view of VIEWS) {
      const what = `processor time of the server with ${view} open`;
      yield { what, unit: 'times', goal: { atMost: 1.25 }, ...spread(await costs(browser, served, view), 2) };
    }
  } finally {
    await browser.close();
    await served.stop();
  }
}

/** @typedef {import('playwright-core').Browser} Browser @typedef {{ base_url: string, api_key: string }} Served */

/** @param {Served} served @param {string} reference */
async function pay({ base_url: base, api_key: key }, reference) {
  const response = await fetch(`${base}/sandbox/v2/payouts`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': crypto.randomUUID(),
    },
    body: JSON.stringify({
      ...{ method: 'mobile_payment', country: 'VE', currency: 'VES', amount: '1.00', reference },
      beneficiary: {
        document: { type: 'V', number: '12345678' },
        bank_code: '0102',
        account_number: '04121234567',
      },
    }),
  });
  if (response.status !== 201) throw new Error(`a payout was answered with ${response.status}`);
}

/** @param {Browser} browser @param {Served & { pid: number }} served @param {string} view */
async function costs(browser, served, view) {
  const ratios = [];
  for (let round = 0; round <= BURST_RUNS; round += 1) {
    const alone = await burst(served);
    const page = await browser.newPage();
    await page.goto(`${served.base_url}/#/${view}`);
    await page.getByRole('navigation').first().waitFor();
    await sleep(SETTLED_MS);
    const watched = await burst(served);
    await page.close();
    // The first run warms up.
    if (round > 0) ratios.push(watched / alone);
  }
  return ratios;
}

/** @param {Served & { pid: number }} served */
async function burst(served) {
  const before = processorNs(served.pid);
  for (let made = 0; made < BURST; made += 1) await pay(served, `burst-${made}`);
  await sleep(SETTLED_MS);
  return processorNs(served.pid) - before;
}

/** @param {number} pid */
function processorNs(pid) {
  const tasks = readdirSync(`/proc/${pid}/task`);
  return tasks.reduce(
    (sum, task) => sum + Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ', 1)[0]),
    0,
  );
}

/** @param {Browser} browser @param {Served} served */
async function shows(browser, { base_url: base }) {
  const taken = [];
  for (let round = 0; round <= RUNS; round += 1) {
    const page = await browser.newPage();
    // The clock of the browser begins with the navigation.
    await page.addInitScript(`new MutationObserver((_, observer) => {
      if (document.querySelector('.rows a') === null) return;
      observer.disconnect();
      requestAnimationFrame(() => (window.shownMs = performance.now()));
    }).observe(document, { childList: true, subtree: true });`);
    await page.goto(base);
    const shownMs = await page.evaluate(`new Promise((resolve) => {
      const look = () => (window.shownMs === undefined ? requestAnimationFrame(look) : resolve(window.shownMs));
      look();
    })`);
    // The first run warms up.
    if (round > 0) taken.push(Number(shownMs));
    await page.close();
  }
  return taken;
}

/** @param {Browser} browser @param {Served} served */
async function follows(browser, served) {
  const page = await browser.newPage();
  await page.goto(served.base_url);
  await page.locator('.rows a').first().waitFor();
  const taken = [];
  for (let round = 0; round < RUNS; round += 1) {
    const reference = `seen-${round}`;
    // The page reads at most four times a second, so payouts that follow each other at once wait for their turn.
    await sleep(SETTLED_MS);
    const isSeen = page.evaluate(
      `new Promise((resolve) => {
        const look = () =>
          document.querySelector('.rows').textContent.includes('${reference}')
            ? resolve(Date.now())
            : requestAnimationFrame(look);
        look();
      })`,
    );
    await pay(served, reference);
    const answeredMs = Date.now();
    taken.push(Math.max(0, Number(await isSeen) - answeredMs));
  }
  await page.close();
  return taken;
}

/** @param {Browser} browser @param {Served} served @returns {Promise<number[]>} */
async function scrolls(browser, { base_url: base }) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.goto(base);
  await page.locator('.rows a').first().waitFor();
  const frames = await page.evaluate(`(async () => {
    const box = document.querySelector('.rows');
    const taken = [];
    let before = performance.now();
    for (let still = 0; still < 60; ) {
      const at = box.scrollTop;
      box.scrollTop += 1500;
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const now = performance.now();
      taken.push(now - before);
      before = now;
      still = box.scrollTop === at ? still + 1 : 0;
    }
    return taken;
  })()`);
  await page.close();
  return /** @type {number[]} */ (frames);
}
