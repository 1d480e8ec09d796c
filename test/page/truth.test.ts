import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { button, CHROMIUM, openTab } from './browser.js';
import { listening, payinOf, payoutOf, servedHere } from './served.js';

const toast = (page: Page, text: string | RegExp): Promise<void> =>
  page.locator('.said').getByText(text).waitFor();
const FOCUSED =
  '(document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent).trim()';
const focused = (page: Page) => page.evaluate<string>(FOCUSED);

describe.skipIf(CHROMIUM === undefined)('the page (skipped where there is no chromium)', () => {
  const served = servedHere();
  beforeEach(() => served.ask('POST', '/_control/reset', {}));
  const made = (method: string, reference: string) =>
    served.ask('POST', '/sandbox/v2/payins', payinOf(method, reference));

  const operations = () => served.ask<object>('GET', '/_control/operations');

  it('says what came of a click, and which of two equal pay-ins was paid', async () => {
    const late = await made('debit_otp', 'late');
    await made('incoming_mobile_payment', 'first');
    const second = await made('incoming_mobile_payment', 'second');
    const { page, wrong } = await openTab(served.base);
    await button(page, 'Pay: second').click();
    const first = /Confirmed · first · 150.00 VES. It is older and got the money. second is still pending/;
    await toast(page, first);
    await served.ask('POST', `/_control/operations/${late.id}/expire`, {});
    await page.goto(`${served.base}/#/operations/${late.id}`);
    await page.getByText('The code has expired: the pay-in fails.').first().waitFor();
    await button(page, 'Confirm').click();
    await toast(page, 'Failed: code expired · late · 150.00 VES');
    await page.goto(`${served.base}/#/operations/${second.id}`);
    await page.getByLabel('Amount').fill('150');
    await page.getByText('This is the expected amount.').waitFor();
    await page.getByLabel('Amount').press('Enter');
    await toast(page, 'Confirmed · second · 150.00 VES');
    expect(wrong).toEqual([]);
  });

  it('offers to deal with the older pay-in first', async () => {
    const older = await made('incoming_mobile_payment', 'older');
    const { id } = await made('incoming_mobile_payment', 'younger');
    const { page } = await openTab(`${served.base}/#/operations/${id}`);
    const why = 'older is older and waits for the same payment: it gets the money.';
    await page.getByText(why).first().waitFor();
    await button(page, 'Cancel the older one: older').click();
    await toast(page, 'Failed: cancelled · older');
    await page.getByText('The expected payment arrives.', { exact: true }).waitFor();
    expect((await served.ask('GET', `/sandbox/v2/payins/${older.id}`)).status).toBe('failed');
  });

  it('keeps what waits where it is under a pointer, and says how many came', async () => {
    await made('debit_otp', 'a');
    await made('debit_otp', 'b');
    const { page } = await openTab(served.base);
    const rows = () => page.locator('.awaiting li .main').allTextContents();
    await button(page, 'Confirm: a').hover();
    const before = await rows();
    await made('debit_otp', 'c');
    await page.locator('.awaiting').getByText('1 new').waitFor();
    expect(await rows()).toEqual([...before, expect.stringContaining('c') as string]);
    await button(page, 'Confirm: b').click();
    await page.locator('.awaiting').getByText('Confirmed', { exact: true }).waitFor();
    expect(await rows()).toHaveLength(3);
    await expect.poll(() => focused(page)).toContain('b');
    await page.getByRole('heading', { level: 1 }).click();
    await page.getByRole('link', { name: 'svc sandbox' }).or(page.locator('.rows')).first().hover();
    await page.keyboard.press('Tab');
    await expect.poll(async () => (await rows()).length).toBe(2);
  });

  it('keeps in the address what a list is narrowed down to', async () => {
    await made('debit_otp', 'order-1');
    await served.ask('POST', '/sandbox/v2/payouts', payoutOf('order-2'));
    const { page } = await openTab(served.base);
    await page.getByRole('link', { name: /^order-2/ }).waitFor();
    await page.getByLabel('Status', { exact: true }).selectOption('confirmed');
    await page.getByLabel('Search by id or reference').fill('order');
    await page.getByText('More filters').click();
    await page.getByLabel('Method').selectOption('bank_transfer');
    await expect.poll(() => page.locator('.rows a').count()).toBe(1);
    await page.reload();
    await page.getByRole('link', { name: /^order-2/ }).click();
    await page.locator('.title').waitFor();
    await page.goBack();
    expect(page.url()).toBe(`${served.base}/#/operations?status=confirmed&search=order&method=bank_transfer`);
    await expect.poll(() => page.locator('.rows a').count()).toBe(1);
    expect(await page.getByLabel('Search by id or reference').inputValue()).toBe('order');
    await page.getByLabel('Created from').fill('2999-01-01');
    await page.getByText('Nothing matches.').waitFor();
    await page.getByLabel('Created from').fill('');
    await page.getByLabel('Company').selectOption('default, sandbox');
    await page.getByRole('link', { name: /^order-2/ }).waitFor();
  });

  it.each([
    ['operations?status=foo', 'status: foo'],
    ['operations?method=foo&search=order', 'method: foo'],
    ['operations?company=nobody', 'company: nobody'],
    ['operations?from=2026-02-30', 'from: 2026-02-30'],
    ['operations?colour=red', 'colour: red'],
    ['requests?status=999', 'status: 999'],
    ['requests?method=FOO', 'method: FOO'],
    ['webhooks?status=waiting', 'status: waiting'],
    ['payments', 'view: payments'],
  ])('matches nothing at #/%s, and a chip takes that away', async (place, text) => {
    await served.ask('POST', '/sandbox/v2/webhook-endpoints', { url: 'http://127.0.0.1:9/hooks' });
    await served.ask('POST', '/sandbox/v2/payouts', payoutOf('order-1'));
    const { page, wrong } = await openTab(`${served.base}/#/${place}`);
    await page.getByText('Nothing matches.').waitFor();
    expect(await page.locator('.rows a').count()).toBe(0);
    await page.locator('.chip').getByText(text, { exact: true }).click();
    await page.locator('.rows a').first().waitFor();
    expect(await page.locator('.chip').count()).toBe(0);
    expect(wrong).toEqual([]);
  });

  it('finds a request by its exact status, and reads with no more than four questions a second', async () => {
    await served.ask('GET', '/sandbox/v2/nothing');
    await served.ask('POST', '/sandbox/v2/payouts', payoutOf('order-1'));
    const { page } = await openTab(`${served.base}/#/requests?status=404`);
    await page.getByRole('link', { name: /nothing/ }).waitFor();
    expect(await page.locator('.rows a').count()).toBe(1);
    expect(await page.getByLabel('Answered with').inputValue()).toBe('404');
    await page.waitForTimeout(1000);
    const read: string[] = [];
    page.on('request', (request) => read.push(request.url()));
    const endMs = Date.now() + 2000;
    for (let at = 0; Date.now() < endMs; at += 1)
      await served.ask('POST', '/sandbox/v2/payouts', payoutOf(`more-${String(at)}`));
    expect(read.length).toBeGreaterThan(1);
    expect(read.length).toBeLessThanOrEqual(9);
    expect(read.filter((url) => !url.includes('/requests?'))).toEqual([]);
  });

  it('shows times in the zone of the browser, or in UTC, and says which', async () => {
    const { created_at: at, id } = await made('debit_otp', 'zoned');
    const zone = { timezoneId: 'Asia/Kolkata' };
    const { page } = await openTab(`${served.base}/#/operations/${id}`, zone);
    const created = page.locator('.facts time').first();
    await created.waitFor();
    const hour = (zoned: string): string => zoned.slice(11, 19);
    const there = new Date(Date.parse(at) + 19_800_000).toISOString();
    expect(await created.textContent()).toContain(`${hour(there)} UTC+5:30`);
    await page.getByLabel('Time zone').selectOption('UTC');
    expect(await created.textContent()).toContain(`${hour(at)} UTC`);
    await page.reload();
    expect(await page.getByLabel('Time zone').inputValue()).toBe('UTC');
  });

  it('says on every view that a fault is armed, and names it where it was met', async () => {
    await served.ask('POST', '/_control/faults', { route: 'balances', status: 503, count: 2 });
    await served.ask('GET', '/sandbox/v2/balances');
    const { page } = await openTab(served.base);
    for (const view of ['operations', 'requests', 'webhooks', 'clock', 'companies', 'state', 'new']) {
      await page.goto(`${served.base}/#/${view}`);
      await page.locator('header').getByText('1 fault armed').waitFor();
    }
    await page.goto(`${served.base}/#/requests`);
    await page.locator('.rows').getByText('fault: status').waitFor();
    await page.goto(`${served.base}/#/requests/99`);
    await page.getByText('The log no longer has a request with this number.', { exact: true }).waitFor();
  });

  it('exports and imports the whole sandbox, and counts what waits', async () => {
    await made('debit_otp', 'kept');
    const { page, wrong } = await openTab(`${served.base}/#/state`);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export' }).click(),
    ]);
    await served.ask('POST', '/_control/reset', {});
    await page.getByLabel('State file').setInputFiles(await file.path());
    await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click();
    await toast(page, 'Imported: 1 operation');
    await page.goto(served.base);
    await page.getByRole('heading', { name: 'Waiting 1' }).waitFor();
    expect(wrong).toEqual([]);
  });

  it('says until when a fault of deliveries is armed as it says each time', async () => {
    await served.ask('POST', '/_control/faults', { delivery: 'hold', for: '1h' });
    const { page } = await openTab(`${served.base}/#/faults`);
    const until = page.locator('main time').first();
    await until.waitFor();
    expect(await until.textContent()).toMatch(/^\d+ [A-Z][a-z]{2} \d\d:\d\d:\d\d UTC/);
  });

  it('leaves nothing of its own in the log of the program', async () => {
    const { page } = await openTab(`${served.base}/#/new`);
    await page.getByRole('heading', { name: 'New pay-in' }).waitFor();
    await page.getByLabel('Method').selectOption('debit_otp');
    for (const view of ['operations', 'webhooks', 'clock', 'companies', 'faults']) {
      await page.goto(`${served.base}/#/${view}`);
      await page.locator('main h2, main a').first().waitFor();
    }
    expect(await served.ask('GET', '/_control/requests')).toMatchObject({ requests: [] });
  });

  it('begins with an address, a key, a line to try and the documents; and asks before a reset', async () => {
    const { page } = await openTab(served.base);
    const start = page.locator('.start');
    for (const text of [`${served.base}/sandbox`, served.key])
      await start.getByText(text, { exact: true }).waitFor();
    await start.getByText(/^curl -sS .*balances/).waitFor();
    await page.getByRole('cell', { name: '00000004' }).waitFor();
    await served.ask('POST', '/sandbox/v2/payouts', payoutOf('kept'));
    await page.goto(`${served.base}/#/clock`);
    await button(page, 'Reset').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    expect(await operations()).toMatchObject({ operations: [{}] });
    await button(page, 'Reset').click();
    await page.getByRole('dialog').waitFor();
    await page.evaluate('void (location.hash = "#/faults")');
    await page.getByRole('heading', { name: 'Common faults' }).waitFor();
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    await page.goBack();
    await button(page, 'Reset').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reset' }).click();
    await toast(page, 'The sandbox begins again');
    expect(await operations()).toMatchObject({ operations: [] });
  });

  it('moves the clock by days and hours, says how far it is off, and asks before a long way', async () => {
    const { page } = await openTab(`${served.base}/#/clock`);
    await page.getByText('The same as real time.').waitFor();
    await page.getByLabel('Minutes').fill('');
    await page.getByLabel('Hours').fill('-1');
    await page.getByLabel('Hours').press('Enter');
    await toast(page, 'Enter numbers above zero. The clock never goes back.');
    await page.getByLabel('Days').fill('3');
    await page.getByLabel('Hours').fill('1');
    await page.getByLabel('Hours').press('Enter');
    const question = 'The clock cannot go back. Everything due in 3 d 1 h happens now.';
    await page.getByRole('dialog').getByText(question).waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('The same as real time.').waitFor();
    await page.getByLabel('Hours').press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Advance' }).click();
    await page.getByText(/^3 d 1 h ahead of real time/).waitFor();
    await toast(page, /^The time is now /);
  });

  it('says who has no URL with the line that registers one, and how each delivery went', async () => {
    const lonely = await served.ask('POST', '/sandbox/v2/payouts', payoutOf('lonely'));
    const { page } = await openTab(`${served.base}/#/operations/${lonely.id}`);
    await page.getByText('No URL is registered for default, sandbox').waitFor();
    await page.getByText(/svc webhooks register --url=https/).waitFor();
    await page.getByText('payout.confirmed, delivered to nobody').waitFor();
    const port = await listening((_request, response) => {
      response.writeHead(401).end();
    });
    const url = `http://127.0.0.1:${String(port)}/hooks`;
    await served.ask('POST', '/sandbox/v2/webhook-endpoints', { url });
    const { id } = await served.ask('POST', '/sandbox/v2/payouts', payoutOf('told'));
    await page.goto(`${served.base}/#/webhooks`);
    const row = page.getByRole('row', { name: /payout.confirmed · told/ });
    await expect.poll(() => row.textContent()).toMatch(/401.*told.*hooks.*10\.00 VES1\d+ \w+ \d\d:/);
    expect(await row.locator('.state.bad:visible').count()).toBe(1);
    await expect.poll(() => page.getByText('No URL is registered').count()).toBe(0);
    await page.getByLabel('Status', { exact: true }).selectOption('delivered');
    await page.getByText('Nothing matches.').waitFor();
    await page.getByLabel('Status', { exact: true }).selectOption('pending');
    await page.getByLabel('Search by event').fill('told');
    await row.getByRole('link').click();
    await page.locator('.facts').getByRole('link', { name: 'told, 10.00 VES' }).click();
    await expect.poll(() => page.url()).toContain(`#/operations/${id}`);
    const led = (name: RegExp) => page.locator('.life').getByRole('link', { name });
    await expect.poll(() => led(/^delivery: 401|^payout.confirmed/).count()).toBe(2);
    await led(/POST .payouts 201/).click();
    await page.locator('.facts').getByRole('link', { name: id }).click();
    await expect.poll(() => page.url()).toContain(`#/operations/${id}`);
  });

  it('names the tab after what is looked at, and takes the focus there and back', async () => {
    await made('debit_otp', 'near');
    const { page } = await openTab(served.base, { viewport: { width: 768, height: 800 } });
    const row = page.getByRole('link', { name: /^near/ }).last();
    await row.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.title()).toBe('near · Operations · svc sandbox');
    await expect.poll(() => page.evaluate('document.activeElement.className')).toBe('detail');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.title()).toBe('Operations · svc sandbox');
    await expect.poll(() => focused(page)).toMatch(/^near/);
  });

  it('shows every view in the navigation from 768 pixels on', async () => {
    const { page } = await openTab(served.base, { viewport: { width: 768, height: 800 } });
    const last = page.getByRole('navigation').getByRole('link').last();
    await last.waitFor();
    const box = await last.boundingBox();
    expect(box!.x + box!.width).toBeLessThanOrEqual(768);
    const [whole, shown] = ['scroll', 'client'].map((one) => `document.querySelector("nav").${one}Width`);
    expect(await page.evaluate(`${whole} <= ${shown}`)).toBe(true);
  });
});
