import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readPlan, type PlanRow } from '../../../../src/batches/approval/plan/read.js';
import { PlanDamaged } from '../../../../src/batches/approval/plan/format.js';
import { bodyOf, chunked, FACTS, OPERATION, PAYROLL, planOf } from './given.js';

const PLAN = planOf();
const TEXT = PLAN.toString();

async function read(bytes: Uint8Array | string, size?: number) {
  const rows: PlanRow[] = [];
  const found = await readPlan(chunked(Buffer.from(bytes), size), (row) => rows.push(row));
  return { ...found, read: rows };
}

async function problemOf(bytes: Uint8Array | string): Promise<string> {
  try {
    await read(bytes);
  } catch (error) {
    if (error instanceof PlanDamaged) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'a plan';
}

it('reads what it says, its rows and its digest, however its bytes are cut', async () => {
  const totals = [{ currency: 'VES', rows: 3, total: '3680.50' }];
  const rows = PAYROLL.map((row, number) => {
    const { reference, amount } = row;
    return { number, reference, amount, minor: BigInt(amount.replace('.', '')), line: bodyOf(row) };
  });
  for (const size of [1, 7, 65_536]) {
    const plan = await read(PLAN, size);
    expect(plan.head).toEqual({ svc_plan: 1, ...FACTS, rows: 3, totals });
    expect(plan.digest).toBe(createHash('sha256').update(PLAN).digest('hex'));
    expect(plan.read).toMatchObject(rows);
  }
});

it('is a file that can be read without us: a line that says what it is, then one body a line', () => {
  expect(TEXT.split('\n')).toEqual([
    '{"svc_plan":1,"environment":"live","address":"https://api.example.com","company":{"letters":"TCP","operation":"6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f"},' +
      '"direction":"payout","batch":"payroll-11","since":null,"rows":3,"totals":[{"currency":"VES","rows":3,"total":"3680.50"}],"left_out":1,' +
      '"made_at":"2026-11-24T09:00:00Z","valid_until":"2026-11-27T09:00:00Z","maker":null}',
    ...PAYROLL.map(bodyOf),
    '',
  ]);
});

const pending = (...references: readonly string[]): string =>
  JSON.stringify(references.map((reference) => ({ reference, operation: OPERATION })));
const pendingTurned = (reference: string): string => JSON.stringify([{ operation: OPERATION, reference }]);

it('names what it leaves out as pending, also where that is much', async () => {
  const skipped_pending = Array.from({ length: 2000 }, (_, at) => ({
    ...{ reference: `wait-${String(at)}`, operation: OPERATION },
  }));
  const plan = await read(planOf({ left_out: 2001, skipped_pending }));
  expect(plan.head).toMatchObject({ left_out: 2001, skipped_pending });
});

const NAMES = ['Nom\u200cbre', 'علی\u200cرضا', '👨\u200d👩\u200d👧', '❤\ufe0f', '邉\u{e0100}'];
it.each(NAMES)('takes the name %s', async (name) => {
  expect(await problemOf(TEXT.replace('Nombre', name))).toBe('a plan');
});

const REPLACED: readonly (readonly [from: string | RegExp, to: string, why: string])[] = [
  ['"amount":"980.00"', '"amount": "980.00"', 'line 3 is not in its one spelling'],
  ['"rows":3', '"rows": 3', 'line 1 is not in its one spelling'],
  ['Nombre', '\\u004eombre', 'line 2 is not in its one spelling'],
  [/\n$/, '\r\n', 'CRLF'],
  ['\n', '\n\n', 'line 2 is not a JSON object'],
  ['{"amount":"980.00"', '{"amount":"1.00","amount":"980.00"', 'line 3'],
  ['{"svc_plan":1', '{"svc_plan":1,"batch":"other"', 'line 1'],
  ['{"amount":"980.00"', '{"\\u0061mount":"1.00","amount":"980.00"', 'line 3'],
  ['"rows":3,"totals"', '"rows":2,"totals"', 'says that it has 2 rows, but it has 3'],
  ['"total":"3680.50"', '"total":"80.50"', 'other totals'],
  ['"total":"3680.50"', '"total":"3680.5"', 'other totals'],
  ['"totals":[', '"totals":[{"currency":"USD","rows":1,"total":"1.00"},', 'other totals'],
  ['{"svc_plan":1', '{"svc_plan":1,"x":1', 'line 1 has no good "x"'],
  ['"since":null,', '', 'line 1 is not in its one spelling'],
  [',"maker":null', '', 'line 1 is not in its one spelling'],
  ['"letters":"TCP",', '', 'line 1 is not in its one spelling'],
  [/"company":\{.*?\},/, '', 'line 1 is not in its one spelling'],
  [/"environment":"live",(.*?),"company"/, '$1,"environment":"live","company"', 'line 1'],
  ['Nombre', 'Nom\\u0000bre', 'line 2 has a character in "beneficiary"'],
  ['emp-2', 'emp-\u200b2', 'line 3 has a character in "reference"'],
  ['Nombre', '\u202eNombre', 'nobody sees'],
  ['Nombre', '❤\ufe0f\ufe0f', 'nobody sees'],
  ['emp-2', 'em\u200dp-2', 'nobody sees'],
  ['Nombre', '\ufff9Nombre', 'nobody sees'],
  ['Nombre', '\u2800Nombre', 'nobody sees'],
  ['Nombre', '\\ud800', 'nobody sees'],
  ['"beneficiary":{', '"bene\u200dficiary":{', 'nobody sees'],
  ['emp-2', 'emp-\u0378', 'line 3 has no good reference'],
  ['2026-11-27T09', '2026-02-31T09', 'line 1 has no good "valid_until"'],
  ['2026-11-27T09:00:00Z', '2026-11-27T09:00:00+00:00', 'line 1 has no good "valid_until"'],
  ['2026-11-27T09', '2026-11-24T08', 'ends before it begins'],
  ['"live"', '"production"', 'line 1 has no good "environment"'],
  ['api.example.com', 'API.example.com', 'line 1 has no good "address"'],
  ['api.example.com', 'api.example.com/', 'line 1 has no good "address"'],
  ['api.example.com', 'me@api.example.com', 'line 1 has no good "address"'],
  ['6f1c2a9e', '6F1C2A9E', 'line 1 has no good "company.operation"'],
  ['"payroll-11"', '"../payroll"', 'line 1 has no good "batch"'],
  ['"left_out":1', '"left_out":1.5', 'line 1 has no good "left_out"'],
  ['"maker":null', '"maker":"MD5:aa"', 'line 1 has no good "maker"'],
  ['"amount":"980.00"', '"amount":980', 'line 3 has no amount'],
  ['"amount":"980.00"', '"amount":"0.00"', 'line 3 has no good amount'],
  ['"amount":"980.00"', '"amount":"0980.00"', 'line 3 has no good amount'],
  ['"amount":"980.00"', '"amount":"-980.00"', 'line 3 has no good amount'],
  ['"amount":"980.00"', '"amount":"980.0"', 'line 3 has an amount with other decimals'],
  ['"method":"mobile_payment"', '"method":""', 'line 2 has no method'],
  ['"country":"VE",', '', 'line 2 has no country'],
  [`\n${bodyOf(PAYROLL[1]!)}`, '\n[]', 'line 3 is not a JSON object'],
  ['"left_out":1,', `"left_out":2,"skipped_pending":${pending('a', 'A')},`, 'line 1 names a reference twice'],
  ['"left_out":1,', `"skipped_pending":${pending('a')},"left_out":1,`, 'line 1 is not in its one spelling'],
];

const FIRST = bodyOf(PAYROLL[0]!);
const TWICE = 'line 5 has a reference that is that of another line';
const CHANGED: readonly (readonly [change: (text: string) => string, why: string])[] = [
  [(text) => text.replaceAll('\n', '\r\n'), 'CRLF'],
  [(text) => `\ufeff${text}`, 'byte order mark'],
  [(text) => text.slice(0, -1), 'cut off'],
  [(text) => `${text}\n`, 'line 5 is not a JSON object'],
  [(text) => `${text.replace('emp-1', 'ß - 1')}${FIRST.replace('emp-1', 'SS-1')}\n`, TWICE],
  [(text) => `${text}${FIRST}\n`, TWICE],
  [(text) => text.slice(0, -40), 'cut off'],
  [(text) => `${text.split('\n').slice(0, -2).join('\n')}\n`, 'says that it has 3 rows, but it has 2'],
  [(text) => `${text.split('\n')[0]!}\n`, 'says that it has 3 rows, but it has 0'],
  [() => 'amount,reference\n1.00,a\n', 'line 1 is not the first line of a plan'],
  [(text) => text.slice(text.indexOf('\n') + 1), 'line 1 is not the first line of a plan'],
  [() => '', 'is empty'],
];

const PENDING: readonly (readonly [pending: string, why: string])[] = [
  ['[]', 'line 1 does not count what it leaves out'],
  ['null', 'line 1 is not in its one spelling'],
  [pending('a', 'b'), 'line 1 does not count what it leaves out'],
  [pending('EMP\u20132'), 'line 3 has a reference that is that of another line'],
  [pending('a\u200b'), 'line 1 has no good "skipped_pending'],
  [pending(' '), 'line 1 has no good "skipped_pending'],
  [pending('a').replace('6f1c', '6F1C'), 'line 1 has no good "skipped_pending'],
  [pending('a').replace('}', ',"amount":"1.00"}'), 'line 1 has no good "skipped_pending'],
  [pendingTurned('a'), 'line 1 is not in its one spelling'],
];

async function expectNoPlan(changed: string, why: string): Promise<void> {
  expect(changed).not.toBe(TEXT);
  const problem = await problemOf(changed);
  expect(problem).toContain('plan_damaged: ');
  expect(problem).toContain(why);
}

it.each(REPLACED)('is no plan with %s as %j: %s', (from, to, why) =>
  expectNoPlan(TEXT.replace(from, to), why),
);

it.each(CHANGED)('is no plan by %s: %s', (change, why) => expectNoPlan(change(TEXT), why));

it.each(PENDING)('is no plan with %s as what is pending: %s', (value, why) =>
  expectNoPlan(TEXT.replace('"left_out":1,', `"left_out":1,"skipped_pending":${value},`), why),
);

it('tells a plan of a newer version by that alone', async () => {
  const newer = TEXT.replace('"svc_plan":1', '"svc_plan":2').replace('"since":null', '"since":{"a":1}');
  expect(await problemOf(newer)).toBe('plan_newer: line 1 is of a newer version of svc');
  expect(await problemOf(TEXT.replace('"svc_plan":1', '"svc_plan":0'))).toContain('no good "svc_plan"');
  expect(await problemOf(TEXT.replace('"svc_plan":1', '"svc_plan":"2"'))).toContain('no good "svc_plan"');
});

it('takes bytes that are no UTF-8 for damage, and a line without an end too', async () => {
  const broken = Buffer.from(PLAN);
  broken[PLAN.indexOf('Nombre')] = 0xff;
  expect(await problemOf(broken)).toContain('line 2 is not UTF-8');
  expect(await problemOf(`${TEXT}${'x'.repeat(70_000)}`)).toContain('line 5 is too long');
  expect(await problemOf(TEXT.replace('Nombre', 'N'.repeat(70_000)))).toContain('line 2 is too long');
  const deep = `"bank_code":${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  expect(await problemOf(TEXT.replace('"bank_code":"0102"', deep))).toContain('plan_damaged');
});

const letters = fc.stringMatching(/^[a-z0-9]{1,12}$/);
const name = fc.stringMatching(/^[A-Za-zÁÉÍÓÚÑáéíóúñ"\\/ ]{1,30}$/);
const rows = fc.uniqueArray(
  fc.record({
    reference: letters.map((text) => `r-${text}`),
    amount: fc.integer({ min: 1, max: 10_000_000 }).map((cents) => (cents / 100).toFixed(2)),
    ...{ account: fc.stringMatching(/^04[0-9]{9}$/), name, currency: fc.constantFrom('VES', 'USD') },
  }),
  { minLength: 1, maxLength: 12, selector: ({ reference }) => reference },
);

describe('whatever is paid', () => {
  it('reads back as it was written', async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 1, max: 900 }), async (given, size) => {
        const bytes = planOf({}, given.map(bodyOf));
        const plan = await read(bytes, size);
        expect(plan.read.map(({ line }) => line)).toEqual(given.map(bodyOf));
        const totals = ['USD', 'VES'].flatMap((currency) => {
          const those = given.filter((row) => row.currency === currency);
          const cents = those.reduce((sum, { amount }) => sum + Math.round(Number(amount) * 100), 0);
          return those.length === 0
            ? []
            : [{ currency, rows: those.length, total: (cents / 100).toFixed(2) }];
        });
        expect(plan.head.totals).toEqual(totals);
      }),
      { numRuns: 200 },
    );
  });

  it('is damaged or another plan where one byte is another', async () => {
    const { digest } = await read(PLAN);
    await fc.assert(
      fc.asyncProperty(fc.nat(PLAN.length - 1), fc.integer({ min: 1, max: 255 }), async (at, by) => {
        const changed = Buffer.from(PLAN);
        changed[at] = changed[at]! ^ by;
        const found = await read(changed).catch((error: unknown) => {
          if (error instanceof PlanDamaged) return null;
          throw error;
        });
        if (found === null) return;
        expect(found.digest).not.toBe(digest);
        expect(found.read.map(({ line }) => line)).toEqual(changed.toString().split('\n').slice(1, -1));
      }),
      { numRuns: 3000 },
    );
  });
});
