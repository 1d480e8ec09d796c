import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { button, CHROMIUM, openTab } from './browser.js';
import { listening, payinOf, payoutOf, servedHere, serveProgram } from './served.js';

const shows = (page: Page, text: string | RegExp): Promise<void> =>
  page.getByText(text).locator('visible=true').first().waitFor();

describe.skipIf(CHROMIUM === undefined)('on the page (skipped where there is no chromium)', () => {
  const served = servedHere();
  beforeEach(() => served.ask('POST', '/_control/reset', {}));

  it('money is collected by code, from the form to the end', async () => {
    const { page, wrong } = await openTab(`${served.base}/#/new`);
    await page.getByLabel('Method').selectOption('debit_otp');
    await page.getByLabel(/^Amount/).fill('25.00');
    await page.getByLabel('Reference').fill('order-7');
    const body = page.getByRole('region', { name: 'request body' });
    expect(await body.textContent()).toContain('"reference": "order-7"');
    await button(page, 'Create').click();
    await button(page, 'Confirm').click();
    await page.locator('.title').getByText('confirmed').waitFor();
    await shows(page, 'payin.confirmed');
    expect(wrong).toEqual([]);
  });

  it('a payment arrives, by the keyboard alone', async () => {
    const body = payinOf('incoming_mobile_payment', 'rent-7');
    const { id } = await served.ask('POST', '/sandbox/v2/payins', body);
    const { page } = await openTab(served.base);
    await button(page, 'Pay: rent-7').waitFor();
    let reached = '';
    for (let tabs = 0; tabs < 30 && reached !== 'Pay: rent-7'; tabs += 1) {
      await page.keyboard.press('Tab');
      reached = await page.evaluate<string>('document.activeElement.getAttribute("aria-label") ?? ""');
    }
    await page.keyboard.press('Enter');
    await shows(page, 'confirmed');
    expect((await served.ask('GET', `/sandbox/v2/payins/${id}`)).status).toBe('confirmed');
  });

  it('a delivery fails, is looked at, and is sent again', async () => {
    let status = 500;
    const port = await listening((_request, response) => {
      response.writeHead(status).end(status === 500 ? 'out of order' : 'thanks');
    });
    const url = `http://127.0.0.1:${String(port)}/hooks`;
    const { page } = await openTab(`${served.base}/#/webhooks`);
    await page.getByText('Register a URL').click();
    await page.getByRole('textbox', { name: 'URL', exact: true }).fill(url);
    await button(page, 'Register').click();
    await shows(page, /^whsec_/);
    const payin = await served.ask('POST', '/sandbox/v2/payins', payinOf('incoming_mobile_payment', 'r'));
    await served.ask('POST', '/_control/payments', { for: payin.id });
    await page.getByRole('link', { name: /payin.confirmed/ }).click();
    await shows(page, 'out of order');
    status = 200;
    await button(page, 'Send again').click();
    await page.locator('.title').getByText('delivered').waitFor();
    await shows(page, 'thanks');
    await shows(page, 'The last attempt is signed correctly');
  });

  it('a fault is armed and met, and the log says which', async () => {
    const { page } = await openTab(`${served.base}/#/faults`);
    await button(page, '503 twice').click();
    await shows(page, '2 requests');
    expect((await served.ask('GET', '/sandbox/v2/balances')).error.code).toBe('temporarily_unavailable');
    await shows(page, 'one request');
    await page.getByRole('link', { name: 'Requests' }).click();
    await page.getByRole('link', { name: /balances/ }).click();
    await page.locator('.facts').getByText('status').waitFor();
  });

  it('a fault after the request, and an outcome that is pending, are chosen in the form', async () => {
    const { page } = await openTab(`${served.base}/#/faults`);
    await page.getByLabel('Sent').selectOption('after the request');
    await page.getByRole('textbox', { name: 'Status' }).fill('502');
    await page.getByRole('button', { name: 'Arm', exact: true }).click();
    await shows(page, 'status 502, after');
    await page.getByLabel('Kind').selectOption('outcome');
    await page.getByLabel(/^Outcome/).selectOption('pending');
    await page.getByRole('button', { name: 'Arm', exact: true }).click();
    await page.locator('ul.plain').getByText('pending').waitFor();
    const { faults } = await served.ask<{ faults: object[] }>('GET', '/_control/faults');
    expect(faults).toMatchObject([
      { status: 502, after: true },
      { kind: 'outcome', pending: true },
    ]);
    await served.ask('POST', '/_control/faults/clear');
  });

  it('the clock goes to where a pay-in has expired', async () => {
    const { id } = await served.ask('POST', '/sandbox/v2/payins', payinOf('incoming_mobile_payment', 'late'));
    const { page } = await openTab(`${served.base}/#/clock`);
    await shows(page, `payin ${id} expires`);
    await button(page, '+48 h').click();
    await shows(page, 'Nothing is due.');
    await page.getByRole('link', { name: 'Operations' }).click();
    await shows(page, 'failed');
  });

  it('two tabs show the same, whichever does it', async () => {
    const [one, other] = [await openTab(served.base), await openTab(served.base)];
    await served.ask('POST', '/sandbox/v2/payins', payinOf('debit_otp', 'shared'));
    await button(one.page, 'Confirm: shared').waitFor();
    await button(other.page, 'Wrong code: shared').click();
    await one.page.locator('.rows').getByText('failed').locator('visible=true').waitFor();
    expect([...one.wrong, ...other.wrong]).toEqual([]);
  });

  it('says that the server is gone, and goes on when it is back', async () => {
    const first = await serveProgram();
    onTestFinished(() => first.end());
    const { page } = await openTab(first.base);
    await first.ask('POST', '/sandbox/v2/payouts', payoutOf('before'));
    await page.getByRole('link', { name: /before/ }).waitFor();
    await first.kill();
    await page.getByRole('alert').waitFor();
    await page.getByRole('link', { name: /before/ }).waitFor();
    const second = await serveProgram({ port: first.port, home: first.home });
    onTestFinished(() => second.kill());
    await page.getByText('connected', { exact: true }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await page.getByText('live', { exact: true }).count()).toBe(0);
    await second.ask('POST', '/sandbox/v2/payouts', payoutOf('after'));
    await page.getByRole('link', { name: /after/ }).waitFor();
  });
});
