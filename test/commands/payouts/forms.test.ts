/** A payroll in whatever form people have it: the same keys and the same bytes; what would be guessed is confirmed or said, else nothing leaves. */
import { describe, expect, it } from 'vitest';
import { batchHome } from '../../support/batch-home.js';
import { COLUMNS, csv, fileIn, ndjson, people, type Cells } from '../../support/payroll.js';
import type { Result, RunOptions } from '../../support/svc.js';

const COUNT = 3;
const AMOUNTS = ['1500.5', '200', '234567.00'];
const rows = people(COUNT, (at) => ({ amount: AMOUNTS[at]!, 'beneficiary.name': 'José Ñandú' }));
const here = batchHome(rows);

/** As a Spanish spreadsheet writes it. */
const SPANISH: readonly (readonly [header: string, cell: (row: Cells) => string])[] = [
  ['Referencia', (row) => row['reference'] ?? ''],
  ['Monto a pagar', (row) => spanishAmount(row['amount'] ?? '')],
  ['Nombre', (row) => row['beneficiary.name'] ?? ''],
  ['Tipo de documento', (row) => row['beneficiary.document.type'] ?? ''],
  ['Cédula', (row) => row['beneficiary.document.number'] ?? ''],
  ['Banco', (row) => row['beneficiary.bank_code'] ?? ''],
  ['N° de cuenta', (row) => row['beneficiary.account_number'] ?? ''],
  ['Propósito', (row) => row['purpose'] ?? ''],
  ['Departamento', () => 'Ventas'],
];
const PLACE = '--country VE --currency VES --method mobile_payment';

function spanishAmount(amount: string): string {
  const [whole = '', fraction = ''] = amount.split('.');
  return `${whole.replace(/\B(?=([0-9]{3})+$)/g, '.')},${fraction.padEnd(2, '0')}`;
}

function spanish(delimiter: string, those = rows, above = ''): string {
  const lines = those.map((row) => SPANISH.map(([, cell]) => cell(row)).join(delimiter));
  return [`${above}${SPANISH.map(([name]) => name).join(delimiter)}`, ...lines, ''].join('\r\n');
}

const latin1 = (text: string): Uint8Array => Buffer.from(text, 'latin1');
const TITLES = 'Nómina de septiembre\r\n\r\nEmpresa: Andes, C.A.\r\n';

/** The line that a refusal says to type. */
function lineIn(stderr: string): string {
  const { message } = (JSON.parse(stderr.slice(stderr.indexOf('{"error"'))) as { error: { message: string } })
    .error;
  const line = /^Where that is right: (svc .*)$/m.exec(message)?.[1];
  if (line === undefined) throw new Error(message);
  return line;
}

const sent = () => here.shaky.posts.map(({ headers, body }) => [headers['idempotency-key'], String(body)]);

const fileOf = (text: string | Uint8Array, name = 'other.csv') => fileIn(here.home.home, name, text);
const pay = (file: string, words = PLACE, options: RunOptions = {}): Promise<Result> =>
  here.svc(`payouts batch ${file} ${words} --concurrency 1`, options);

describe('the same payroll', () => {
  const whole = rows.map((row) => ({ ...row, amount: Number(row['amount']).toFixed(2) }));
  it.each<[string, string | Uint8Array]>([
    ['with semicolons in Latin-1', latin1(spanish(';'))],
    ['with tabs in UTF-16', Buffer.from(`\ufeff${spanish('\t')}`, 'utf16le')],
    ['with pipes below titles', spanish('|', rows, TITLES)],
    ['with semicolons under our names', csv(rows).replaceAll(',', ';')],
    ['with our names in Latin-1', latin1(csv(rows))],
    ['with all decimals', csv(whole)],
  ])('%s has the keys and the bytes of the plain one: it is paid once', async (_form, content) => {
    const plain = await here.svc(`payouts batch ${here.file} --batch plain --concurrency 1`);
    expect(plain.json()).toMatchObject({ confirmed: COUNT, totals: { VES: { total: '236267.50' } } });
    const first = sent();
    here.shaky.posts.splice(0);
    // On a machine that knows nothing: only what is the same keeps the service from paying again.
    const elsewhere = { env: here.machine('other') };
    const typed = await pay(fileOf(content), `${PLACE} --skip-feed-check`, elsewhere);
    const ended = typed.exitCode === 14 ? await here.paste(lineIn(typed.stderr), elsewhere) : typed;
    expect(ended.json(), ended.stderr).toMatchObject({ rows: COUNT, confirmed: COUNT });
    expect(sent()).toEqual(first);
    expect(Object.values(await here.shaky.ledger())).toEqual([1, 1, 1]);
  });

  it('as NDJSON keeps its bytes but for the amount', async () => {
    expect((await pay(fileOf(ndjson(rows), 'pay.ndjson'), '')).json()).toMatchObject({ confirmed: COUNT });
    const bodies = sent().map(([, body]) => body);
    expect(bodies[0]).toBe(ndjson(rows.slice(0, 1)).trim().replace('"1500.5"', '"1500.50"'));
  });
});

describe('what would be guessed', () => {
  const file = (): string => fileOf(latin1(spanish(';', rows, TITLES)));

  it('is refused for a script, with all that settles it and nothing else', async () => {
    const refused = await pay(file());
    expect(refused.exitCode).toBe(14);
    const message = String(refused.error()['message']);
    expect(message).toContain('Add these flags: --delimiter, --decimal, --encoding, --map.');
    expect(message).toContain('Ignored columns: "Departamento".');
    expect(message).toContain('Ignored above the header: lines 1 to 3.');
    expect(lineIn(refused.stderr)).toContain(
      " --delimiter semicolon --decimal comma --encoding latin1 --map 'reference=Referencia,",
    );
    const ours = await pay(fileOf(csv(rows).replaceAll(',', ';')), '');
    expect(lineIn(ours.stderr)).toMatch(/--concurrency 1 --delimiter semicolon$/);
    expect(here.shaky.posts).toEqual([]);
  });

  it.each([
    ['y', 0, COUNT],
    ['sí', 0, COUNT],
    ['', 14, 0],
    ['n', 14, 0],
  ])('is confirmed by a person who types %j: exit %i', async (answer, exitCode, posts) => {
    const tty = { stdin: true, stderr: true };
    const result = await pay(file(), PLACE, { tty, stdin: `${answer}\n` });
    expect(result.exitCode, result.stderr).toBe(exitCode);
    const shown = result.stderr.replace(/\s+/g, ' ');
    expect(shown).toContain('in Latin-1, semicolon between cells, decimal mark: comma, header in line 4.');
    expect(shown.match(/Line [0-9] is sent as \{ "amount": "/g)).toHaveLength(COUNT);
    expect(shown).toContain('"amount": "1500.50"');
    expect(here.shaky.posts).toHaveLength(posts);
    expect(shown.includes('You did not confirm how the file is read.')).toBe(exitCode === 14);
  });

  it('is asked of nobody with --dry-run, and is shown', async () => {
    const tty = { stdin: true, stderr: true };
    const result = await pay(file(), `${PLACE} --dry-run`, { tty });
    expect(result.json()).toMatchObject({ dry_run: true, rows: COUNT });
    expect((await pay(file(), `${PLACE} --dry-run`)).exitCode).toBe(14);
  });

  it('is kept under a name, and reads the file of the next month', async () => {
    const line = lineIn((await pay(file())).stderr);
    const saved = await here.paste(`${line} --save-map nomina`);
    expect(saved.stderr).toContain('Next time: --map nomina');
    const next = people(1, () => ({ reference: 'oct-1', amount: '1234.00', 'beneficiary.name': 'Peña' }));
    const second = await pay(fileOf(latin1(spanish(';', next)), 'next.csv'), `${PLACE} --map nomina`);
    expect(second.json()).toMatchObject({ confirmed: 1, totals: { VES: { total: '1234.00' } } });
    expect((await pay(fileOf(spanish(';'), 'third.csv'), '--map nada')).exitCode).toBe(2);
  });
});

describe('is refused, and nothing is sent:', () => {
  const PARTY = ['document.type', 'document.number', 'bank_code', 'account_number'];
  const head = ['reference', 'amount', ...['name', ...PARTY].map((name) => `beneficiary.${name}`)].join(';');
  const row = (amount: string, reference = 'e-1') => `${reference};${amount};Ana;V;12345678;0102;04121234567`;
  const [TEN, NEXT] = [row('10'), row('10', 'e-2')];
  const semi = `${PLACE} --delimiter semicolon`;
  const mapped = `${semi} --map reference=`;
  const comma = `${semi} --decimal comma`;
  const refuses = async (content: string, words: string, message: RegExp): Promise<void> => {
    const result = await pay(fileOf(content), words);
    expect(result.error()).toMatchObject({ exit_code: 14, outcome: 'not_sent' });
    expect(String(result.error()['message'])).toMatch(message);
    expect(here.shaky.posts).toEqual([]);
  };

  it.each<[string, string, string[], RegExp]>([
    ['an amount that is two', semi, [row('1.234')], /: "1.234" is 1234 with --decimal comma, 1.234 with --/],
    ['it behind 5', semi, [row('5'), row('1,234')], /3: amount: "1,234" is 1.234 with --decimal comma, 1234/],
    ['beside points', semi, [row('5.50'), row('1,234')], /3: amount: "1,234" is 1234 with --decimal point/],
    ['more decimals', comma, [row('10,005')], /line 2: amount: "10.005" is .*at most 2 decimals/],
    ['a currency', comma, [row('Bs. 10,50')], /line 2: amount: "Bs. 10,50" has a currency beside/],
    ['a negative amount', comma, [row('-10,50')], /line 2: amount: "-10.5" is not a valid amount/],
    ['a letter for a debit', comma, [row('10,50 D')], /line 2: amount: "10,50 D" says debit or credit/],
    ['lost digits', semi, [TEN.replace(/\d+$/, '4,14123E+10')], /number: 4,14123E\+10 is a number that a/],
    [
      'what a spreadsheet writes where it has no value',
      semi,
      [TEN.replace(/\d+$/, '########'), row('#¡VALOR!', 'e-2'), row('5', '#N/D')],
      /line 2: beneficiary.account_number: "########" .*\nline 3: amount: "#¡VALOR!" .*\nline 4: reference: "#N\/D" /,
    ],
    ['a blank line', semi, [TEN, ';;;;;;', NEXT], /line 3: a blank line in the middle/],
    ['a total below', semi, [TEN, 'Total;10;;;;;'], /line 3: looks like a total, which is no payment/],
    ['a total of words', semi, [TEN, 'TOTAL GENERAL;;;;;;10'], /line 3: looks like a total/],
    ['a total of fewer cells', semi, [TEN, ';10;TOTAL'], /line 3: looks like a total/],
    ['behind a blank', semi, [TEN, ';;;;;;', 'Suma total;10;;;;;'], /1 problem.*line 4: looks like a total/s],
    ['a row too wide', semi, [`${TEN};more`], /line 2: 8 cells, and the header has 7 columns/],
    ['a row too short', semi, [TEN.slice(0, -12)], /line 2: 6 cells, and the header has 7 columns/],
    ['another type', semi, [TEN.replace(';12', ';E-12')], /document.number: "E-12345678" is not valid/],
    ['the name of a bank', semi, [TEN.replace('0102', 'BANCO')], /"BANCO" is not valid; an example: 0102/],
  ])('%s', (_what, words, lines, message) => refuses([head, ...lines, ''].join('\n'), words, message));

  const plain = (...lines: string[]): string => [head, ...lines, ''].join('\n').replaceAll(';', ',');
  it.each<[string, string, string, RegExp]>([
    ['a list of bodies', '[]\n', PLACE, /begins with "\[". Put one request body on each line \(NDJSON\)/],
    ['a header of nothing', 'foo;bar\na;b\n', semi, /^Add --map reference=COLUMN,amount=COLUMN$/m],
    ['no header', `${TEN}\n`, `${mapped}1,amount=2`, /has no header: line 1 holds an amount/],
    ['no such column', `Monto;${head}\n10;${TEN}\n`, `${mapped}reference,amount=Oro`, /has no column "Oro"/],
    [
      'a column by name and number',
      `${head}\n${TEN}\n`,
      `${semi} --map reference=reference,amount=amount,beneficiary.name=1`,
      /has one column for reference and beneficiary.name: --map names it twice/,
    ],
    ['HTML', '<table><tr><td>', PLACE, /is HTML or XML/],
    ['MT940 with its blocks', '{1:F01BANKVECA}{2:I940}{4:\n:20:1\n:61:2611281128D1,00N\n', PLACE, /is MT940/],
    ['a total in the plain form', plain(TEN, 'Total;10;;;;;'), PLACE, /line 3: looks like a total, which/],
    ['the same of fewer cells', plain(TEN, 'TOTALES;10'), PLACE, /line 3: looks like a total, which/],
  ])('%s', (_what, content, words, message) => refuses(content, words, message));

  it.each([
    ['reference=a,amount=b,beneficiary.name=a', /The column "a" is there twice/],
    ['reference=a', /names no amount/],
    ['reference=a,amount=b,colour=c', /not a member/],
    ['colour=c', /does not begin with a member.*Its members: .*beneficiary.bank_code/s],
  ])('the map %s', async (map, message) => {
    const result = await pay(fileOf('a,b\nc,d\n'), `--map ${map}`);
    expect(result.error()).toMatchObject({ exit_code: 2, outcome: 'not_sent' });
    expect(String(result.error()['message'])).toMatch(message);
  });

  it('what no row says is one line with its flags', async () => {
    const columns = COLUMNS.filter((name) => !['country', 'currency', 'method'].includes(name));
    const result = await pay(fileOf(csv(people(3), columns)), '');
    const message = String(result.error()['message']);
    const flags = '--country CC --currency CUR --method CODE';
    expect(message).toContain(`\nline 2: country, currency and method are missing; for all rows: ${flags}`);
    expect(message).toContain('has 1 problem. ');
  });
});

it('columns that a map does not name are listed and ignored, whatever they hold', async () => {
  const text = `colour,${csv(rows).split('\n').join('\n#N/D,')}`.replace(/\n#N\/D,$/, '\n');
  const map = COLUMNS.filter((name) => name !== 'purpose').map((name) => `${name}=${name}`);
  const result = await pay(fileOf(text), `--map ${map.join(',')}`);
  expect(result.exitCode, result.stderr).toBe(0);
  expect(result.stderr).toContain('Ignored columns: "colour", "purpose".');
  expect(sent().every(([, body]) => body?.includes('purpose') === false)).toBe(true);
});

describe('identifiers as people write them', () => {
  const changes = [
    { 'beneficiary.document.number': 'V-20.000.000', 'beneficiary.bank_code': '0102 - BANCO DE VENEZUELA' },
    { 'beneficiary.document.number': 'V20000001', 'beneficiary.document.type': '' },
    { 'beneficiary.account_number': '0412-1000002' },
  ];
  const written = rows.map((row, at) => ({ ...row, ...changes[at] }));

  it('are the same keys and bytes as without, and are said', async () => {
    expect((await here.svc(`payouts batch ${here.file} --batch plain --concurrency 1`)).exitCode).toBe(0);
    const first = sent();
    here.shaky.posts.splice(0);
    const typed = await pay(fileOf(csv(written)), '--skip-feed-check', { env: here.machine('other') });
    expect(typed.json(), typed.stderr).toMatchObject({ confirmed: COUNT });
    expect(sent()).toEqual(first);
    for (const text of [
      'Line 2: beneficiary.document.number "V-20.000.000" is sent as 20000000. Other rows are read the same way.',
      'Line 2: beneficiary.bank_code "0102 - BANCO DE VENEZUELA" is sent as 0102',
      'Line 3: beneficiary.document.type "" is sent as V',
      'Line 4: beneficiary.account_number "0412-1000002" is sent as 04121000002',
    ])
      expect(typed.stderr).toContain(text);
  });

  it('keep their bytes in NDJSON, and are refused', async () => {
    const result = await pay(fileOf(ndjson(written), 'pay.ndjson'), '');
    expect(result.exitCode).toBe(14);
    expect(result.error()['message']).toContain('line 1: beneficiary.document.number: "V-20.000.000"');
  });
});

it('columns outside a map that bear the name of a field are named, with a map that reads them when it is typed', async () => {
  const file = fileOf(csv(rows).replace('reference,amount', 'Ref,Monto'));
  const map = '--map reference=Ref,amount=Monto';
  const result = await pay(file, `${PLACE} ${map}`);
  expect(result.exitCode).toBe(14);
  const said = /Not in --map, with the name of a field: "country", .*To read them: (--map .*)$/m;
  const typed = said.exec(result.stderr)?.[1] ?? '';
  const read = await here.paste(`svc payouts batch ${file} ${typed}`);
  expect(read.json()).toMatchObject({ confirmed: COUNT });
});

it('one bad line of UTF-8 is the line, and not another encoding', async () => {
  const text = csv(rows);
  const bad = Buffer.from(text.replace('José Ñandú', 'Jos\u0001 Ñandú'));
  bad[bad.indexOf(1)] = 0xe9;
  const result = await pay(fileOf(bad), '');
  expect(String(result.error()['message'])).toMatch(/line 2: is not UTF-8, and the text around it is/);
  expect(result.stderr).not.toContain('latin1');
});
