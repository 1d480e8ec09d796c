import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fresh } from '../../support/fresh.js';
import { world } from '../../support/svc.js';

const home = fresh(world);

async function linesOf(type: string): Promise<string[]> {
  const result = await home.svc(type, { tty: { stderr: true }, columns: 200 });
  expect(result, result.stderr).toMatchObject({ exitCode: 2, stdout: '' });
  return result.stderr.split('\n').flatMap((line) => /^ {2}(\S.*)$/.exec(line)?.[1] ?? []);
}

const TYPE = '(--beneficiary document.type=VALUE)';
const NAMES = ['document.type', 'document.number', 'bank_code', 'account_number', 'name'];
const KNOWN = NAMES.map((name) => `beneficiary.${name}`).join(', ');
const MISSING = [
  `beneficiary.document.type is missing. Use V, E, J or P ${TYPE}`,
  'beneficiary.document.number is missing. Example: 12345678 (--beneficiary document.number=VALUE)',
  'beneficiary.bank_code is missing. Example: 0102 (--beneficiary bank_code=VALUE)',
  'beneficiary.account_number is missing. Example: 04121234567 (--beneficiary account_number=VALUE)',
];

it('an unknown field hides no wrong currency, and that no missing bank', async () => {
  const line =
    'payouts create --country VE --currency XXX --method mobile_payment --amount 10 --beneficiary foo=1';
  expect(await linesOf(line)).toEqual([
    'currency "XXX" is not valid. Use VES (--currency)',
    ...MISSING,
    `Unknown field: beneficiary.foo. Known fields: ${KNOWN}.`,
  ]);
});

it('nothing at all is every field, and what a method would take', async () => {
  expect(await linesOf('payouts create')).toEqual([
    'amount is missing. Use digits with a decimal point, for example 10.00 (--amount)',
    'country is missing. Use VE, CL or KW (--country)',
    'currency is missing. Use VES, CLP, USD or KWD (--currency)',
    'method is missing. Use mobile_payment or bank_transfer (--method)',
    ...MISSING,
  ]);
});

it('what a method does not take, bounds, a reference and metadata stand in one list', async () => {
  const line =
    'payins create --country VE --currency VES --method debit_otp --amount 1.001 --payer document.type=Q ' +
    '--payer document.number=12345678 --payer bank_code=0102 --payer phone=04121234567 ' +
    `--expires-in-hours 7 --mandate a=b --mandate c=d --reference r\u200b1 --metadata x=${'y'.repeat(70_000)}`;
  expect(await linesOf(line)).toEqual([
    'amount "1.001" is not valid. Use an amount from 1.00 to 500000.00 VES, for example 1500.50 (--amount)',
    'payer.document.type is not valid. Use V, E, J or P (--payer document.type=VALUE)',
    'Unknown field: mandate. Known fields: amount, country, currency, method, reference, metadata, payer.',
    'Unknown field: expires_in_hours.',
    'reference holds an invisible character (--reference)',
    expect.stringMatching(
      /^metadata is not valid\. Use a JSON object of at most [0-9]+ bytes \(--metadata\)$/,
    ),
  ]);
});

it('a script has the same list as data: what to use, an example, the flag', async () => {
  const result = await home.svc('payouts create --country VE --method mobile_payment --beneficiary foo=1');
  expect(result.error()).toMatchObject({ code: 'field_required', exit_code: 2, outcome: 'not_sent' });
  expect(result.error()['details']).toEqual([
    {
      ...{ field: 'amount', code: 'required', hint: 'Use an amount from 1.00 to 500000.00 VES' },
      ...{ example: '1500.50', flag: '--amount' },
    },
    {
      ...{ field: 'beneficiary.document.type', code: 'required', hint: 'Use V, E, J or P' },
      ...{ example: 'V', flag: '--beneficiary document.type=VALUE' },
    },
    expect.objectContaining({ field: 'beneficiary.document.number', hint: null, example: '12345678' }),
    expect.objectContaining({ field: 'beneficiary.bank_code', example: '0102' }),
    expect.objectContaining({ field: 'beneficiary.account_number', example: '04121234567' }),
    {
      ...{ field: 'beneficiary.foo', code: 'unknown', hint: `Known fields: ${KNOWN}` },
      ...{ example: null, flag: null },
    },
  ]);
});

it('no value of a person is said', async () => {
  const line =
    'payouts create --country VE --currency VES --method mobile_payment --amount 10.00 --beneficiary document.type=V ' +
    '--beneficiary document.number=98x76543 --beneficiary bank_code=0102 --beneficiary account_number=04xx9876543';
  expect(await linesOf(line)).toHaveLength(2);
  const { stderr } = await home.svc(line);
  expect(stderr).not.toMatch(/98x76543|04xx9876543/);
});

describe('where a person could be asked', () => {
  const tty = { stdin: true, stdout: true, stderr: true };

  it.each(['', ' -i'])('what no question mends is refused before the first one (%s)', async (asked) => {
    const line = `payins create --country VE --method debit_otp --payer foo=1${asked}`;
    const result = await home.svc(line, { tty });
    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toContain('Unknown field: payer.foo. Known fields: payer.document.type');
    expect(result.stderr).toContain('payer.phone is missing');
  });

  const WHOLE = ['{"method":"mobile_payment"}', '@FILE', ''];
  it.each(WHOLE)('nothing is asked of a whole one: %s', async (data) => {
    mkdirSync(home.home, { recursive: true });
    const file = join(home.home, 'payout.json');
    writeFileSync(file, '{"country":"VE","method":"mobile_payment","amount":"10.00"}');
    const given = data === '' ? ['--data-file', file] : ['--data', data.replace('FILE', file)];
    const result = await home.svc(['payouts', 'create', ...given], { tty });
    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toContain('beneficiary.account_number is missing');
    expect(result.stderr).toContain('beneficiary.bank_code is missing');
  });
});

describe('--data', () => {
  const messageOf = async (words: string[]): Promise<unknown> => {
    const result = await home.svc(words);
    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    return result.error()['message'];
  };

  it('names the file that is not there, a folder, and where a file is no JSON', async () => {
    const broken = join(home.home, 'broken.json');
    writeFileSync(broken, '{"amount": "10.00",\n "country" "VE"}');
    const none = join(home.home, 'none.json');
    const marked = join(home.home, 'marked.json');
    writeFileSync(marked, '\ufeff{"amount":"10.00"}');
    for (const [flags, said] of [
      [[`--data=@${none}`], `There is no file ${none}`],
      [['--data-file', none], `There is no file ${none}`],
      [['--data', `@${home.home}`], `${home.home} is a folder: give a file`],
      [['--data', `@${broken}`], `${broken} is not valid JSON: see line 2, column 12`],
      [
        ['--data', `@${marked}`],
        `${marked} is not valid JSON: it begins with a byte order mark (BOM); save it without one`,
      ],
      [['--data-file', ''], 'The name of the file is empty'],
      [['--data', '[1]'], '--data is not a JSON object: write it as {"amount": ...}'],
    ] as const)
      expect(await messageOf(['payins', 'create', ...flags])).toBe(`${said}. Nothing was sent.`);
  });

  it.each([
    [['payins', 'create'], 'bad.json', '@bad.json'],
    [['api', 'POST', '/v2/payins'], 'my payout.json', "'@HOME/my payout.json'"],
  ])('%j asks whether a file was meant by %s', async (command, name, meant) => {
    const path = name === 'bad.json' ? name : join(home.home, name);
    if (path !== name) writeFileSync(path, '{}');
    expect(await messageOf([...command, '--data', path])).toBe(
      `--data takes JSON. Did you mean --data ${meant.replace('HOME', home.home)}? Nothing was sent.`,
    );
  });
});
