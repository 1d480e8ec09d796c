import { describe, expect, it } from 'vitest';
import { renderFindingList } from '../../src/reconcile/view.js';
import { widthOf } from '../../src/output/width.js';
import { json, readerOf } from './samples.js';

const ID = '0192f0c4-1111-7aaa-8bbb-000000000001';
const line = (given: object) => ({
  ...{ line: 14, id: null, reference: 'emp-0003-2026-09', bank_reference: null, direction: 'payout' },
  ...{ currency: 'VES', amount: '1200.00', date: '2026-11-20' },
  ...given,
});
const operation = (given: object) => ({
  ...line({}),
  ...{ id: ID, status: 'confirmed', amount: '1200.50' },
  ...given,
});
const finding = (given: object) => ({
  ...{ class: 'amount_differs', by: 'reference', detail: '0.5 VES less here', here: [line({})] },
  ...{ there: [operation({})], beside: null, tolerances: [], suggestion: null },
  next_command: `svc transactions get ${ID}`,
  ...given,
});
const findings = (width: number, ...given: object[]): string =>
  renderFindingList(json({ findings: given.map(finding) }), 'findings', readerOf(width));

describe('findings', () => {
  it('stand under the name of their class', () => {
    expect(findings(80, {})).toBe(
      'Amount differs\n' +
        'Line         File      Service  Reference         Status       Operation\n' +
        '  14  1200.00 VES  1200.50 VES  emp-0003-2026-09  ✓ confirmed  0192f0c4\n' +
        '  Why 0.5 VES less here\n' +
        `\nNext: svc transactions get ${ID}\n`,
    );
  });

  it('of several operations have a row for each', () => {
    expect(
      findings(80, {
        class: 'ambiguous',
        detail: 'any of them',
        there: [operation({}), operation({ status: 'failed', amount: '1200.00' })],
        next_command: 'svc operations find -- emp-0003-2026-09',
      }),
    ).toBe(
      'Ambiguous\n' +
        'Line         File      Service  Reference         Status       Operation\n' +
        '  14  1200.00 VES  1200.50 VES  emp-0003-2026-09  ✓ confirmed  0192f0c4\n' +
        '                   1200.00 VES  emp-0003-2026-09  ✗ failed     0192f0c4\n' +
        '  Why any of them\n' +
        '\nNext: svc operations find -- emp-0003-2026-09\n',
    );
  });

  it.each([60, 80])('fit %i columns', (width) => {
    const text = findings(width, {}, { here: [], detail: 'the ledger has no such line' });
    for (const one of text.split('\n'))
      if (!one.startsWith('Next: ')) expect(widthOf(one)).toBeLessThanOrEqual(width);
    expect(text).toContain(`svc transactions get ${ID}\n`);
    expect(text).toContain('1200.50 VES');
  });

  it('drive no terminal', () => {
    const text = findings(80, { here: [line({ reference: '\u001b[2J\u202e' })], detail: 'a\nb' });
    expect(text).toContain('\\u001b[2J\\u202e');
    expect(text).not.toContain('\u001b');
  });
});

describe('sums', () => {
  const sum = (kind: string | null, here: string, there: string) => ({
    ...(kind === null ? {} : { class: kind }),
    ...{ currency: 'VES', here: { count: 1, amount: here }, there: { count: 2, amount: there } },
  });
  const sums = [
    sum('amount_differs', '1200.00', '1200.50'),
    sum('matched', '10.00', '10.00'),
    sum(null, '1210.00', '1210.50'),
  ];

  it('stand side by side', () => {
    expect(renderFindingList(json({ sums }), 'sums', readerOf(80))).toBe(
      'What              Lines         File  Operations      Service\n' +
        '✗ amount differs      1  1200.00 VES           2  1200.50 VES\n' +
        '✓ matched             1    10.00 VES           2    10.00 VES\n' +
        'total                 1  1210.00 VES           2  1210.50 VES\n',
    );
  });

  it.each([40, 60, 80])('fit %i columns with the money of a whole bank', (width) => {
    const great = [sum('duplicate_there', '123456789012345.67', '987654321098765.43')];
    const text = renderFindingList(json({ sums: great }), 'sums', readerOf(width));
    for (const one of text.split('\n')) expect(widthOf(one), text).toBeLessThanOrEqual(width);
    expect(text).toContain('123456789012345.67 VES');
    expect(text).toContain('987654321098765.43 VES');
  });

  it('say that there is nothing', () => {
    expect(renderFindingList(json({ sums: [] }), 'sums', readerOf(80))).toBe(
      'Nothing to compare on either side.\n',
    );
  });
});
