import { describe, expect, it } from 'vitest';
import { ledgerLine as line, operation, reconciled, short } from './given.js';

const R = { reference: 'PAGO' };
const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

const counted = (sums: Awaited<ReturnType<typeof reconciled>>['sums']): string =>
  sums.map((sum) => `${sum.class} ${sum.here.count}`).join(', ');

describe('a name that thousands share', () => {
  it('is compared up to 4,096', async () => {
    const amounts = (index: number) => `${index + 1}.5`;
    const { findings, sums } = await reconciled(
      many(4096, (index) => line(index + 1, { ...R, amount: amounts(index) })),
      many(4096, (index) => operation(index, { ...R, amount: amounts(4095 - index) })),
    );
    expect(findings).toHaveLength(4096);
    expect(sums.map((sum) => [sum.class, sum.here.count, sum.there.amount])).toEqual([
      ['matched', 4096, '8392704.0'],
    ]);
  });

  it('says nothing beyond: each of them may be any, unless another name decides', async () => {
    const { findings, sums } = await reconciled(
      many(4098, (index) => line(index + 1, { ...R, bankReference: index === 7 ? 'b' : null })),
      [operation(1, R), operation(2, { ...R, bankReference: 'B' }), operation(3, { ...R, status: 'failed' })],
    );
    expect(findings).toHaveLength(4097 + 1 + 1);
    expect(findings.at(-1)).toMatchObject({ class: 'matched', by: 'bank_reference' });
    expect(findings[0]).toMatchObject({ class: 'ambiguous', by: 'reference' });
    expect(sums.map((sum) => [sum.class, sum.here.count, sum.there.count])).toEqual([
      ['ambiguous', 4097, 1],
      ['matched', 1, 1],
    ]);
  });

  it('is no name where all of the other side belongs to something by another name', async () => {
    const { sums } = await reconciled(
      many(4098, (index) => line(index + 1, { ...R, id: index === 7 ? operation(1).id : null })),
      [operation(1, R)],
    );
    expect(counted(sums)).toBe('only_here 4097, matched 1');
  });

  it('is no name where the other side has none of it', async () => {
    const { sums } = await reconciled(
      many(5000, (index) => line(index + 1, R)),
      [operation(1)],
    );
    expect(counted(sums)).toBe('only_here 5000, only_there 0');
  });

  it('is compared where almost all of it belongs together by another name', async () => {
    const ids = (index: number) => ({ id: operation(index).id });
    const { findings, sums } = await reconciled(
      [...many(6000, (index) => line(index + 1, { ...R, ...ids(index) })), line(9000, { ...R, amount: '7' })],
      [...many(6000, (index) => operation(index, R)), operation(9000, { ...R, amount: '8' })],
    );
    expect(findings[0]).toMatchObject({ class: 'amount_differs', here: [{ line: 9000 }] });
    expect(counted(sums)).toBe('amount_differs 1, matched 6000');
  });
});

it('adds what no 64 bits hold, exactly', async () => {
  const amount = '1000000000000000.00000001';
  const { sums, agrees } = await reconciled(
    many(2000, (index) => line(index + 1, { amount })),
    many(2000, (index) => operation(index + 1, { amount: `${amount}0` })),
  );
  expect(agrees).toBe(true);
  const total = { count: 2000, amount: '2000000000000000000.000020000' };
  expect(sums).toEqual([{ class: 'matched', currency: 'VES', here: total, there: total }]);
});

describe('a text', () => {
  const HOSTILE = [
    ...["'; DROP TABLE here; --", 'a\0b', 'a\0c', '\ud800', '\udfff', '"a"'],
    'é'.repeat(5000),
    ...['\u001b[31m', '💸', '%_\\', '\ufffd'],
  ];

  it('of any kind is itself, and comes out as it went in', async () => {
    const { findings, agrees } = await reconciled(
      HOSTILE.map((text, index) => line(index + 1, { reference: text, id: null })),
      HOSTILE.map((text, index) =>
        operation(index + 1, { reference: text, bankReference: text }),
      ).toReversed(),
    );
    expect(agrees).toBe(true);
    for (const [name, [number = 0], its] of findings.map(short))
      expect([name, its]).toEqual(['matched', [number]]);
    const texts = findings.flatMap(({ here, there }) => [
      here[0]?.reference,
      there[0]?.reference,
      there[0]?.bankReference,
    ]);
    expect(texts.toSorted()).toEqual(HOSTILE.flatMap((text) => [text, text, text]).toSorted());
  });

  it.each([
    ['\ud800', '\udfff'],
    ['\ud800', '\ufffd'],
    ['a\0b', 'a\0c'],
    ['a', 'a\0'],
  ])('is not another one: %j and %j', async (reference, other) => {
    const { findings } = await reconciled([line(1, { reference })], [operation(1, { reference: other })]);
    expect(findings.map((finding) => finding.class)).toEqual(['only_here', 'only_there']);
  });

  it('of spaces or none at all names nothing', async () => {
    const blank = ['', ' ', '\u00a0\t'];
    const { findings } = await reconciled(
      blank.map((reference, index) => line(index + 1, { reference, bankReference: reference })),
      blank.map((reference, index) => operation(index + 1, { reference, bankReference: reference })),
    );
    expect(findings.map((finding) => finding.class)).toEqual([
      ...blank.map(() => 'only_here'),
      ...blank.map(() => 'only_there'),
    ]);
  });
});

it('shows what a finding has to do with elsewhere', async () => {
  const { findings } = await reconciled(
    [line(1, R), line(2, R), line(3, { ...R, amount: '3' })],
    [operation(1, R)],
  );
  const beside = { lines: [1], operations: [operation(1).id] };
  expect(findings.map((finding) => [finding.class, finding.by, finding.beside])).toEqual([
    ['duplicate_here', 'reference', beside],
    ['only_here', null, beside],
    ['matched', 'reference', null],
  ]);
});

it('puts the worst first, by currency, and the greatest amounts first', async () => {
  const amounts = ['9.5', '10', '9.50', '100', '0', '9.05'];
  const lines = amounts.flatMap((amount, index) =>
    ['VES', 'USD'].map((currency, other) => line(index * 2 + other + 1, { amount, currency })),
  );
  const { findings } = await reconciled(lines, [operation(1, { amount: '1' })], { currency: 'VES' });
  expect(findings.map(({ here: [one] }) => `${one?.currency} ${one?.amount}`)).toEqual([
    'VES 9.5',
    ...['USD', 'VES']
      .flatMap((currency) =>
        ['100', '10', '9.5', '9.50', '9.05', '0'].map((amount) => `${currency} ${amount}`),
      )
      .filter((text) => text !== 'VES 9.5'),
  ]);
});
