import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { wordsOf } from '../support/typed.js';
import { eachWorld } from '../support/svc.js';
import { feed, idOf, linesOf, paid, reconcile } from './given-lines.js';

const home = eachWorld('2026-09-02T08:00:00Z');

const bankOf = (number: number): string => String(number).padStart(8, '0');
const told = (number: number): string => paid({ number, data: { bank_reference: bankOf(number) } });
const service = (count: number) => feed(Array.from({ length: count }, (_, at) => told(at + 1)));

function run(text: string, words: readonly string[] = [], count = 3) {
  const path = join(home.home, "the bank's.csv");
  writeFileSync(path, text);
  return reconcile(home, service(count), [path, ...words]);
}

const rows = (header: string, cells: readonly (readonly string[])[]): string =>
  [header, ...cells.map((row) => row.join(';'))].join('\n') + '\n';
const three = (name: (number: number) => string): string[][] =>
  [1, 2, 3].map((number) => [name(number), `${String(number)},50`]);
const capitals = (number: number): string => idOf(number).toUpperCase();
const own = (number: number): string => `PAY-${String(number)}`;
const FEE = ['COM-7', '0,10'];
const withEmpty = three(bankOf).map((row, at) => (at === 2 ? ['', row[1]!, idOf(3)] : [...row, '']));

describe('a column that holds another kind of names is read as that', () => {
  it.each<[what: string, text: string, to: string, words?: string[]]>([
    ['references of the bank', rows('Referencia;Monto', three(bankOf)), 'bank_reference'],
    ['a map', rows('Nr;Monto', three(bankOf)), 'bank_reference', ['--map', 'reference=Nr,amount=Monto']],
    ['by number', rows('x;x', three(bankOf)), 'bank_reference', ['--map', 'reference=1,amount=2']],
    ['ids', rows('Referencia;Monto', three(idOf)), 'id'],
    ['ids in capitals', rows('Referencia;Monto', three(capitals)), 'id'],
    ['own references as those of the bank', rows('Comprobante;Monto', three(own)), 'reference'],
    ['numbers of the bank as ids', rows('Id operación;Monto', three(bankOf)), 'bank_reference'],
    ['with empty cells', rows('Referencia;Monto;Id', withEmpty), 'bank_reference'],
  ])('%s', async (_, text, to, words = []) => {
    const result = await run(text, [...words, '--json', '--all']);
    expect(result.exitCode, result.stderr).toBe(0);
    expect(result.stderr).toMatch(
      new RegExp(`^([1-3]) of \\1 values of column .+ are .+ of the service: it is read as ${to}[.]$`, 'm'),
    );
    for (const finding of linesOf(result).findings)
      expect([finding['class'], finding['by']]).toEqual(['matched', expect.stringMatching(`${to}|id`)]);
  });

  it('and is kept as that', async () => {
    const first = await run(rows('Referencia;Monto', three(bankOf)), ['--save-map', 'bank']);
    expect(first.exitCode, first.stderr).toBe(0);
    const text = rows('Referencia;Monto', [...three(bankOf), ['00099999', '0,10']]);
    const fee = await run(text, ['--map', 'bank', '--json']);
    expect(linesOf(fee).findings.map(({ class: kind }) => kind)).toEqual(['only_here']);
  });

  it('but not where the service knows all of it as what it is called', async () => {
    const events = [1, 2].map((number) =>
      paid({ number, reference: bankOf(number), data: { bank_reference: bankOf(3 - number) } }),
    );
    const path = join(home.home, 'a.csv');
    writeFileSync(path, rows('Referencia;Monto', three(bankOf).slice(0, 2)));
    const result = await reconcile(home, feed(events), [path]);
    expect([result.exitCode, result.stderr]).toEqual([0, expect.not.stringContaining('values of column')]);
  });
});

describe('where only some of it is, nothing is changed and the line that reads it so is printed', () => {
  it.each<[what: string, text: string, words?: string[]]>([
    ['a fee', rows('Referencia;Monto', [...three(bankOf), FEE])],
    ['an own reference', rows('Referencia;Monto', [['pay-1', '1,50'], ...three(bankOf).slice(1)])],
    [
      'a saved map, days and a name with a quote',
      rows("El 'Nº', de ref;Monto", [...three(bankOf), ['x', '0,10']]),
      ['--map', `reference="El 'Nº', de ref",amount=Monto`, '--from', '2026-08-01', '--decimal=comma'],
    ],
    ['ids', rows('Referencia;Monto', [...three(idOf), ['x', '0,10']])],
  ])('%s', async (_, text, words = []) => {
    const result = await run(text, [...words, '--json']);
    expect(result.exitCode).toBe(18);
    const classes = ({ stdout }: { stdout: string }) =>
      linesOf({ stdout }).findings.map(({ class: kind }) => kind);
    expect(classes(result).filter((kind) => kind === 'only_there').length).toBeGreaterThan(1);
    const { message, next_command: line } = result.error() as { message: string; next_command: string };
    const some = /[23] of [34] values of column ".+" are (bank references|operation ids) of the service\./;
    expect(message).toMatch(some);
    const typed = wordsOf(line);
    const again = await reconcile(home, service(3), typed.slice(1));
    expect(again.exitCode, again.stderr).toBe(18);
    expect(classes(again).every((kind) => kind === 'only_here' || kind === 'only_there')).toBe(true);
    expect(classes(again).length).toBeLessThanOrEqual(2);
  });

  it('of a stream the flags are', async () => {
    const stdin = rows('Referencia;Monto', [...three(bankOf), FEE]);
    const result = await reconcile(home, service(3), ['-'], { stdin });
    expect(result.error()).toMatchObject({ next_command: null });
    const flags = '--map bank_reference=Referencia,amount=Monto --delimiter';
    expect(result.stderr).toContain(`To read it as that: ${flags}`);
  });

  it('a ledger of other payments leads nowhere', async () => {
    const other = three((number) => `x-${String(number)}`);
    const message = expect.not.stringContaining('values of') as unknown;
    const result = await run(rows('Referencia;Monto', other));
    expect(result.error()).toMatchObject({ next_command: null, message });
  });
});

describe('leading zeros', () => {
  it.each<[what: string, header: string, name: string, number: number | null]>([
    ['lost', 'Comprobante', '2', 2],
    ['added', 'Comprobante', '0000000002', 2],
    ['of some', 'Comprobante', '002', 2],
    ['under another name', 'Referencia', '2', 2],
    ['of nothing', 'Comprobante', '0000', null],
    ['of what nobody has', 'Comprobante', '7', null],
  ])('%s are a suggestion at most', async (_, header, name, number) => {
    const result = await run(rows(`${header};Monto`, [[name, '9,99']]), ['--json']);
    expect(result.exitCode).toBe(18);
    const { findings } = linesOf(result);
    const suggestion = number === null ? null : { lines: [2], operations: [idOf(number)] };
    expect(findings[0]).toMatchObject({ class: 'only_here', suggestion });
    expect(findings.filter((one) => one['suggestion'] !== null)).toHaveLength(number === null ? 0 : 1);
    if (number !== null)
      expect(findings[0]!['detail']).toBe(
        `a suggestion: only operation ${idOf(number)} has exactly the amount of line 2, or its number but for leading zeros`,
      );
  });

  it('that two may have lost suggest neither', async () => {
    const events = ['007', '07'].map((bank, at) => paid({ number: at + 1, data: { bank_reference: bank } }));
    const path = join(home.home, 'a.csv');
    writeFileSync(path, rows('Comprobante;Monto', [['7', '9,99']]));
    const { findings } = linesOf(await reconcile(home, feed(events), [path, '--json']));
    const alone = findings.find(({ class: kind }) => kind === 'only_here');
    expect(alone?.['detail']).toEqual(expect.not.stringContaining('zeros'));
  });
});

it.each([
  ['a reference that nobody has', 'x-9', 'its reference is not that of the operation'],
  ['that of another payment', 'pay-2', 'its bank reference is not that of the operation, and names'],
])('%s beside the bank reference of a payment is named', async (_, reference, detail) => {
  const text = rows('Referencia;Comprobante;Monto', [[reference, bankOf(1), '1,50']]);
  const result = await run(text, ['--json'], 2);
  expect(result.exitCode).toBe(18);
  expect(JSON.stringify(linesOf(result).findings)).toContain(detail);
});
