import { hash } from 'node:crypto';
import { expect, it } from 'vitest';
import {
  REPORT_BEGINNING,
  reportBeginning,
  reportEnd,
  reportFinding,
} from '../../../src/reconcile/report/document.js';
import { shownFinding } from '../../../src/reconcile/findings-shown.js';
import { findingOf, HOSTILE, lineOf, resultOf } from '../given.js';

const PARTS = { script: 'let a = 1;', style: 'p { color: red }' };
const hostile = HOSTILE.join('\u2028');
const finding = shownFinding(findingOf('only_here', { here: [lineOf({ reference: hostile })], there: [] }), {
  ...{ where: [], hasNegatives: false, currency: null, decimals: new Map() },
});
const document = [
  reportBeginning(hostile, [[hostile, hostile]], resultOf(), PARTS),
  reportFinding(finding, true),
  reportFinding(finding, false),
  reportEnd(3, PARTS),
].join('');

const print = (text: string): string => `'sha256-${hash('sha256', text, 'base64')}'`;

it('is known by its beginning', () => expect(document.startsWith(REPORT_BEGINNING)).toBe(true));

it('allows its own script and style and nothing else', () => {
  const [, policy] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(document)!;
  expect(policy!.split('; ')).toEqual([
    ...["default-src 'none'", `script-src ${print(PARTS.script)}`, `style-src ${print(PARTS.style)}`],
    ...["base-uri 'none'", "form-action 'none'"],
  ]);
  expect(document).toContain(`<style>${PARTS.style}</style>`);
  expect(document).toContain(`<script type="module">${PARTS.script}</script>`);
});

it('ends nothing by a text from outside', () => {
  expect(document.match(/<script/g)).toHaveLength(3);
  expect(document.match(/<\/script>/g)).toHaveLength(3);
  expect(document).not.toMatch(/<img|<svg|<!--|\u202e|\u2028/);
});

it('holds the findings as they are shown, but for what nobody sees', () => {
  const [, data = ''] = /id="findings">([^]*?)<\/script>/.exec(document)!;
  const held = JSON.parse(data) as { here: { reference: string }[] }[];
  expect(held).toHaveLength(2);
  expect(held[0]!.here[0]!.reference).toBe(
    hostile.replaceAll('\u2028', '\\u2028').replace('\u202e', '\\u202e').replace('\u202c', '\\u202c'),
  );
  expect(/id="left-out">(.*?)</.exec(document)![1]).toBe('3');
});
