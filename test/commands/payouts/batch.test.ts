import { describe, expect, it } from 'vitest';
import { fresh } from '../../support/fresh.js';
import { COLUMNS, csv, fileIn, ndjson, people, person, type Cells } from '../../support/payroll.js';
import { words } from '../../support/requests.js';
import { world, type Result } from '../../support/svc.js';

const home = fresh(world);

const batch = (content: string | Uint8Array, flags = '', name = 'pay.csv'): Promise<Result> =>
  home.svc(['payouts', 'batch', fileIn(home.home, name, content), ...words(flags)]);

async function ledger(): Promise<{ reference: string; amount: string }[]> {
  const { stdout } = await home.svc('events list --all');
  const lines = stdout.split('\n').filter((line) => line !== '');
  return lines.map((line) => (JSON.parse(line) as { data: { reference: string; amount: string } }).data);
}

describe('a file', () => {
  it('is sent row by row, and the summary says so in rows and money', async () => {
    const result = await batch(csv(people(3)));
    expect(result.exitCode, result.stderr).toBe(0);
    const none = ['earlier', 'pending', 'failed', 'rejected', 'unknown', 'not_sent'];
    const no = (of: number | string) => Object.fromEntries(none.map((name) => [name, of]));
    expect(result.json()).toEqual({
      ...{ batch: 'pay', rows: 3, confirmed: 3, ...no(0), resume_command: null, states: { confirmed: 3 } },
      totals: { VES: { total: '304.50', confirmed: '304.50', ...no('0.00') } },
    });
    const paid = (await ledger()).map(({ reference, amount }) => `${reference} ${amount}`);
    expect(paid.sort()).toEqual(['emp-0000 100.50', 'emp-0001 101.50', 'emp-0002 102.50']);
  });

  it.each<[string, (rows: Cells[]) => string]>([
    ['NDJSON', (rows) => ndjson(rows)],
    ['CRLF', (rows) => csv(rows, COLUMNS, '\r\n')],
    ['a BOM', (rows) => `\ufeff${csv(rows)}`],
    ['moved columns', (rows) => csv(rows, [...COLUMNS].reverse())],
    ['no last line end, empty cells', (rows) => csv(rows.map((row) => ({ ...row, purpose: '' }))).trimEnd()],
    ['blank lines at the end', (rows) => `${csv(rows)}\n\n`],
  ])('may be %s', async (_name, write) => {
    const result = await batch(write(people(3)));
    expect(result.exitCode, result.stderr).toBe(0);
    expect(result.json()).toMatchObject({ rows: 3, confirmed: 3 });
  });

  it('takes from flags what its rows have in common, and metadata by name', async () => {
    const columns = COLUMNS.filter((name) => !['country', 'currency', 'method', 'purpose'].includes(name));
    const rows = people(2, (at) => ({ 'metadata.team': `t${at}`, 'metadata.a.b': 'x' }));
    const flags = '--country VE --currency ves --method mobile_payment --purpose payroll';
    const result = await batch(csv(rows, [...columns, 'metadata.team', 'metadata.a.b']), flags);
    expect(result.exitCode, result.stderr).toBe(0);
    const [one, other] = await ledger();
    expect(one).toMatchObject({ purpose: 'payroll', metadata: { team: 't0', 'a.b': 'x' } });
    expect(other).toMatchObject({ currency: 'VES' });
  });

  it('adds what is in common to bodies whose own bytes stay as they are', async () => {
    const { country: _country, method: _method, ...row } = person(1);
    const line = ndjson([row]).replace('}\n', ',"metadata":{"n":1.10} }\n').replace('{', '{ ');
    const result = await batch(line, '--country VE --method mobile_payment', 'pay.ndjson');
    expect(result.exitCode, result.stderr).toBe(0);
    expect(await ledger()).toMatchObject([{ reference: 'emp-0001', metadata: { n: 1.1 } }]);
  });

  it('is only shown with --dry-run', async () => {
    const result = await batch(csv(people(3)), '--dry-run');
    expect(result).toMatchObject({ exitCode: 0 });
    expect(result.json()).toMatchObject({ rows: 3, not_sent: 3, dry_run: true, resume_command: null });
    expect(await ledger()).toEqual([]);
    expect((await home.svc('batches list')).json()).toEqual({ batches: [] });
  });

  it.each([
    ['nómina.csv', 'nómina'],
    ['no\u0301mina.csv', 'nómina'],
    [' September 2026 .csv', 'September 2026'],
  ])('names the batch: %j', async (file, name) => {
    expect((await batch(csv(people(1)), '', file)).json()).toMatchObject({ batch: name, confirmed: 1 });
  });

  it.each(['(september).csv', "ana's.csv", '.csv'])('may have the name %j with --batch', async (file) => {
    const refused = await batch(csv(people(1)), '', file);
    expect(refused.exitCode).toBe(2);
    expect(refused.error()['message']).toContain('--batch NAME');
    expect((await batch(csv(people(1)), '--batch september', file)).json()).toMatchObject({ confirmed: 1 });
  });

  it('keeps its name, its limits and its time from flags', async () => {
    const startMs = home.clock.monotonic();
    const result = await batch(csv(people(5)), '--batch september --concurrency 1 --rate 2/s');
    expect(result.json()).toMatchObject({ batch: 'september', confirmed: 5 });
    expect(home.clock.monotonic() - startMs).toBeGreaterThanOrEqual(2000);
    expect(home.clock.monotonic() - startMs).toBeLessThan(3000);
  });
});

describe('a header of other names', () => {
  it.each<[string, (name: string) => string]>([
    ['in another spelling', (name) => name.replace('bank_code', 'BankCode').replace('amount', 'Amount')],
    ['without the party', (name) => (name === 'beneficiary.bank_code' ? 'bank_code' : name)],
  ])('%s is told of once, and the rows of their own faults', async (_what, nameOf) => {
    const rows = people(3, (at) => (at === 1 ? { amount: '1,50' } : {}));
    const [header = '', ...lines] = csv(rows, [...COLUMNS, 'colour', 'size']).split('\n');
    const renamed = header.split(',').map((name) => nameOf(name));
    const { exitCode, error } = await batch([renamed.join(','), ...lines].join('\n'));
    expect(exitCode).toBe(14);
    const { message, details } = error() as { message: string; details: { field: string }[] };
    for (const name of COLUMNS.filter((column) => nameOf(column) !== column))
      expect(message).toContain(`line 1: ${nameOf(name)}: unknown column; did you mean ${name}?`);
    expect(message).toContain('line 1: colour: unknown column; the columns are amount, country, ');
    expect(message).toMatch(/line 1: size: unknown column$/m);
    const fields = details.map(({ field }) => field).filter((field) => !field.startsWith('line 1 '));
    expect(fields).toEqual(['line 3 amount']);
    expect(await ledger()).toEqual([]);
  });

  it('next to the right one is left out', async () => {
    const text = csv(people(1), [...COLUMNS, 'bank_code']).replace(/,\n$/, ',9999\n');
    const { error } = await batch(text);
    expect(error()['details']).toEqual([{ field: 'line 1 bank_code', code: 'invalid' }]);
  });
});

it('takes names that only look odd', async () => {
  const names = 'NULL|N/A|#|# 12|Ana #1|nan|None|undefined|Nulo|object Object|Erro'.split('|');
  const odd = people(names.length, (at) => ({ 'beneficiary.name': names[at] ?? '' }));
  expect((await batch(csv(odd))).json()).toMatchObject({ confirmed: names.length });
});

const [NAME, NUMBER, BANK, ACCOUNT] = [COLUMNS[6], COLUMNS[8], COLUMNS[9], COLUMNS[10]];
/** What programs write where they have no value. */
const NO_VALUES = [
  ...['#N/D', '#N/A', '#¡REF!', '#REF!', '#¡DIV/0!', '#¿NOMBRE?', '#NOME?', '#NÚM!', '#¡DESBORDAMIENTO!'],
  ...['#DESPEJAR!', ' #VALOR! ', '#n/d', '########', '##', 'Err:502', '[object Object]'],
  'Ana [object Object]',
];
const INVISIBLE = [
  ...['Ana\u200b Pérez', 'Ana\u200d', 'Ana \u200dPérez', 'a\u200d\u200db', '❤\ufe0f\ufe0f', '1\ufe0f2'],
  ...['A\u00adna', 'A\u{e0041}na'],
];

describe('a bad file is refused with line numbers, and nothing is sent', () => {
  const two = csv(people(2));
  const change = (at: number, changes: Cells): string => csv(people(3, (row) => (row === at ? changes : {})));
  const refused = async (content: string | Uint8Array, message: RegExp): Promise<void> => {
    const result = await batch(content, '--json');
    expect([result.exitCode, result.stdout], result.stderr).toEqual([14, '']);
    expect(result.error()).toMatchObject({ code: 'bad_file', outcome: 'not_sent', exit_code: 14 });
    expect(String(result.error()['message'])).toMatch(message);
    expect(await ledger()).toEqual([]);
    expect((await home.svc('batches list')).json()).toEqual({ batches: [] });
  };

  const each = (column: string, said: string, values: readonly string[]) =>
    values.map((value) => [column, value, said] as const);
  it.each<readonly [string, string, string]>([
    ['reference', '', 'is missing'],
    ['reference', 'emp-\u0378', 'holds a character that is not assigned in Unicode'],
    ...each('reference', 'holds an invisible', ['emp-\u00ad0007', 'a\u200db', 'emp\u202e1']),
    ['reference', '1.23E+19', '.*digits are lost'],
    ['amount', '1,50', '1,50 has a comma'],
    ['amount', '900000000.00', '.*not between 1.00 and 500000.00'],
    ['amount', '10.005', '.*at most 2 decimals'],
    ['amount', '-5.00', '"-5.00" is not a valid amount: use digits, a decimal point and at most 2 decimals'],
    ...each(NAME, '.* has no value', NO_VALUES),
    ...each(NAME, 'holds an invisible', INVISIBLE),
    [NAME, 'Ana\nPérez', 'holds a control'],
    [NAME, 'Ana\u0007', 'holds a control character'],
    [NAME, 'Ana P\ufffdrez', '.*wrong encoding'],
    [NUMBER, '', 'is missing'],
    [BANK, '102', '.*leading zeros are lost'],
    [BANK, '0146', '"0146" is refused'],
    [BANK, '9999', '"9999" is refused'],
    [ACCOUNT, '1.23E+19', '.*digits are lost'],
    [ACCOUNT, '4121000001', '.*leading zeros are lost'],
    ...each('method', '', ['cash', 'direct_debit']),
    ['country', 'XX', ''],
    ['purpose', 'gift', ''],
  ])('%s: %j: %s', (column, value, said) =>
    refused(change(1, { [column]: value }), new RegExp(`line 3: ${column.replaceAll('.', '\\.')}: ${said}`)),
  );

  const more = (column: string, value: string): string =>
    csv([person(1, { [column]: value })], [...COLUMNS, column]);
  const twice = change(2, { reference: 'emp-0000' });
  const many = (mark: string): string => [...Array(200_000).keys()].join(mark);
  const text = (...bytes: number[]): Buffer => Buffer.concat([Buffer.from(two), Buffer.from(bytes)]);
  const NO_VALUE = /line 1: reference: .* has no value/;
  const NO_UTF8 = /^line 4: is not UTF-8, and the text around it is/m;
  const line = ndjson([person(1)]);
  const TAGS = '"metadata":{"tags":[{"a":1,"\\u0061":2}]}';
  it.each<readonly [string, string | Uint8Array, RegExp]>([
    ['no UTF-8', text(0xe1, 0x0a), NO_UTF8],
    ['a cut character', text(0xc3), NO_UTF8],
    ['NUL', two.replace('Ana', 'A\0na'), /line 2: holds a NUL byte/],
    ['nothing', '', /line 1: the file is empty/],
    ['a header alone', `${COLUMNS.join(',')}\n`, /holds no rows/],
    ['an unknown column', two.replace('purpose', 'porpose'), /line 1: porpose: unknown column/],
    ['another name', two.replace(BANK, 'Beneficiary Bank Code'), /did you mean beneficiary.bank_code/],
    ['a repeated column', two.replace('purpose', 'amount'), /line 1: amount: the column is there twice/],
    ['no reference', csv(people(2), COLUMNS.slice(1)), /line 1: reference: the column is missing/],
    ['a ragged row', two.replace(/\n$/, ',more\n'), /line 3: 12 cells, and the header has 11 columns/],
    ['an unclosed quote', two.replace('emp-0001', '"emp-0001'), /line 3: a quote is opened in this row and/],
    ['a quote inside', two.replace('emp-0001', 'emp"0001'), /line 3: a quote stands inside a cell/],
    ['a blank line', two.replace('\nemp-0001', '\n\nemp-0001'), /line 3: a blank line in the middle/],
    ['a blank line in NDJSON', ndjson(people(2)).replace('\n', '\n\n'), /line 2: a blank line in the middle/],
    ['no JSON object', `${ndjson(people(1))}[1]\n`, /line 2: is not one JSON object/],
    ['half a line of JSON', ndjson(people(2)).slice(0, -9), /line 2: is not one JSON object/],
    ['a name twice', line.replace('"type":"V"', '$&,"type":"E"'), /: beneficiary.document.type: the name is/],
    ['one by an escape', line.replace('{', `{${TAGS},`), /line 1: metadata.tags.a: the name is there twice/],
    ['an amount as a number', line.replace('"101.50"', '101.50'), /line 1: amount:/],
    ['an object in its place', line.replace('"V"', '{"a":1}'), /line 1: beneficiary.document.type/],
    ['a prototype', line.replace('"type"', '"__proto__"'), /line 1: beneficiary.document/],
    ['the same reference', twice, /line 4: Duplicate of line 2: "emp-0000"/],
    ['the same but for the dash', change(2, { reference: 'emp\u20130000' }), /line 4: Duplicate of line 2: /],
    ['two problems', twice.replace('101.50', '-5.00'), /line 3: amount: "-5.00"[^]*line 4: Duplicate of l/],
    [
      'a field that nobody knows, in two rows',
      ndjson(people(2, () => ({ foo: 'x' }))),
      /line 1: Unknown field: foo\. Known fields: amount, .*\n.*line 2: Unknown field: foo\.$/m,
    ],
    ['one in a part', line.replace('"name"', '"foo"'), /Unknown field: beneficiary\.foo\. Known fields: ben/],
    ...NO_VALUES.map((reference) => [reference, ndjson([person(1, { reference })]), NO_VALUE] as const),
    ['an error in metadata', more('metadata.team', '#N/D'), /2: metadata.team: "#N\/D" is what a program/],
    ['a large metadata', more('metadata.x', 'x'.repeat(5000)), /metadata: is larger than 4096/],
    ['a row of 2 MB', change(1, { [ACCOUNT]: '0'.repeat(2_000_000) }), /line 3: is longer than 131072 char/],
    ['200,000 columns', `reference,amount,${many(',')}\n`, /line 1: is longer than 131072 characters, or a/],
    ['a body of 2 MB', `{"reference":"${'x'.repeat(2_000_000)}"}\n`, /1: is longer than 131072 characters$/],
    ['200,000 in another form', `Ref;Monto;${many(';')}\nr;1;\n`, /line 1: is longer than 131072 characters/],
  ])('%s', (_name, content, message) => refused(content, message));

  it('names every line that is wrong, and says how many more there are', async () => {
    const result = await batch(csv(people(40, () => ({ amount: '1.555' }))), '--json');
    const message = String(result.error()['message']);
    expect(message).toContain('40 problems');
    expect(message).toContain('and 20 more');
    expect(result.error()['details']).toHaveLength(40);
  });

  it('a file that is not there, or a folder', async () => {
    expect((await home.svc('payouts batch /nowhere/pay.csv')).exitCode).toBe(14);
    expect((await home.svc(['payouts', 'batch', home.home, '--batch', 'x'])).exitCode).toBe(14);
  });
});

it('takes names and metadata in the letters and emoji of anybody', async () => {
  const families = ['👨\u200d👩\u200d👧 Ana', '🏳\ufe0f\u200d🌈'];
  const names = ['علی\u200cرضا', 'क्\u200dष', 'Ana ❤\ufe0f', '邉\u{e0100}', 'Zo\u200dë', ...families];
  const rows = names.map((name, at) => person(at, { 'beneficiary.name': name, 'metadata.note': name }));
  const result = await batch(csv(rows, [...COLUMNS, 'metadata.note']), '--json');
  expect(result.exitCode, result.stderr).toBe(0);
  const { stdout } = await home.svc('events list --all');
  for (const name of names) expect(stdout).toContain(JSON.stringify(name));
});

it('exports rows as cells that are no formulas, and reconcile reads them as they were', async () => {
  const references = ['=1', '-a', 'a;=1', 'a|+1', "'=1", '@x', 'b;-2|@y', "c;'=1", '＋7x'];
  const rows = references.map((reference, at) => person(at, { reference }));
  expect((await batch(csv(rows))).exitCode).toBe(0);
  const { stdout } = await home.svc('batches export pay');
  expect(stdout).not.toMatch(/(^|[,;|])"?[=+@＋-]/m);
  const path = fileIn(home.home, 'export.csv', stdout);
  const result = await home.svc(['reconcile', path, '--direction', 'payout', '--json']);
  expect(result.exitCode, result.stderr + result.stdout).toBe(0);
  const listed = await home.svc('operations list -o csv --limit 50');
  const again = await home.svc(['reconcile', fileIn(home.home, 'list.csv', listed.stdout), '--json']);
  expect(again.exitCode, again.stderr + again.stdout).toBe(0);
});

describe('the same person and amount', () => {
  const twins = csv([person(1), person(2), { ...person(1), reference: 'other' }]);

  it('under another reference is listed and refused', async () => {
    const result = await batch(twins, '--json');
    expect(result).toMatchObject({ exitCode: 14 });
    const { message } = result.error();
    expect(message).toMatch(/line 4: the same account and amount as line 2.*--allow-duplicates/);
    expect(await ledger()).toEqual([]);
  });

  it.each([
    [20, / has 20 problems\. .*line 22: [^\n]*$/s],
    [21, / has more than 20 problems\. .*\nand more$/s],
  ])('%i times is not told of as fewer', async (times, said) => {
    const rows = Array.from({ length: times }, (_, at) => ({ ...person(1), reference: `other-${at}` }));
    const result = await batch(csv([person(1), ...rows]), '--json');
    expect(result).toMatchObject({ exitCode: 14 });
    expect(String(result.error()['message'])).toMatch(said);
  });

  it('a reference that many times is told of in the same way', async () => {
    const result = await batch(csv([...people(30), ...people(30)]), '--json');
    expect(String(result.error()['message'])).toMatch(/ has more than \d+ problems\. .* more$/s);
  });

  it('is sent where that is meant', async () => {
    expect((await batch(twins, '--allow-duplicates')).json()).toMatchObject({ confirmed: 3 });
  });
});

describe('run again', () => {
  it('a finished batch is refused', async () => {
    await batch(csv(people(2)));
    const result = await batch(csv(people(2)), '--json');
    expect(result).toMatchObject({ exitCode: 13, stdout: '' });
    expect(result.error()).toMatchObject({ code: 'batch_finished', next_command: 'svc batches status pay' });
    expect(await ledger()).toHaveLength(2);
  });

  it.each([
    ['changed file', 'file_changed', csv([person(7)]), '--json'],
    ['new --new-since', 'batch_differs', csv(people(2)), '--new-since 2020-01-01T00:00:00Z --json'],
  ])('a %s of a batch that is over is one of its own by the printed line', async (_, code, text, flags) => {
    await batch(csv(people(2)));
    const refused = await batch(text, flags);
    expect(refused.error()).toMatchObject({ code, exit_code: 13, next_command: 'svc batches status pay' });
    const said = String(refused.error()['message']);
    expect(said).toContain('No row of that batch is left to send.\nTo send this file as a batch of its');
    expect(said).not.toMatch(/resume|drop/);
    const line = /svc (payouts batch .*)$/.exec(said)?.[1] ?? '';
    const sent = await home.svc(line);
    if (code === 'file_changed') expect(sent.json()).toMatchObject({ rows: 1, confirmed: 1 });
    else expect(sent.error()).toMatchObject({ code: 'references_paid' });
  });

  it('a batch of another environment or direction keeps its name', async () => {
    await batch(csv(people(2)));
    const file = fileIn(home.home, 'fees.csv', csv(people(2)));
    const result = await home.svc(['payins', 'batch', file, '--batch', 'pay', '--json']);
    expect(result.failure()).toBe('13 batch_differs');
  });
});

describe('rows that are not confirmed', () => {
  const numbers = ['00000001', '00000002', '00000004', '12345678'];
  const mixed = csv(people(4, (at) => ({ 'beneficiary.document.number': numbers[at]! })));

  it('are counted, and end the run with 3 where the rest is definite', async () => {
    const result = await batch(mixed, '--json');
    expect(result).toMatchObject({ exitCode: 3 });
    expect(result.json()).toMatchObject({ rows: 4, confirmed: 1, pending: 1, failed: 2 });
    const next = 'svc batches export --state failed pay';
    expect(result.error()).toMatchObject({ code: 'rows_failed', next_command: next });
  });

  it('are followed to their end with --wait', async () => {
    expect((await batch(mixed, '--wait')).json()).toMatchObject({ confirmed: 2, pending: 0, failed: 2 });
  });
});

describe('the line of commands', () => {
  it.each([
    ['--concurrency 0', /--concurrency/],
    ['--concurrency many', /--concurrency/],
    ['--rate 0/s', /--rate/],
    ['--rate fast', /--rate/],
    ['--confirm-total VES', /--confirm-total/],
    ['--confirm-total VES:1 --confirm-total VES:1', /twice/],
    ['--batch ../x', /A batch name must be/],
    ['--wait-timeout soon', /--wait-timeout/],
    ['--new-since yesterday-ish', /--new-since/],
    ['--new-since 2999-01-01T00:00:00Z', /--new-since .*future/],
  ])('%s is a usage error', async (flags, message) => {
    const result = await batch(csv(people(1)), flags);
    expect(result.exitCode).toBe(2);
    expect(result.stderr).toMatch(message);
    expect(await ledger()).toEqual([]);
  });

  it('says nothing but the summary on standard output, and nothing else with --quiet', async () => {
    const result = await batch(csv(people(2)), '--quiet --json');
    expect(result.stdout.split('\n')).toHaveLength(2);
    expect(result.stderr.replace(/^Embedded.*\n/, '')).toBe('');
  });
});
