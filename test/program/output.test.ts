/** How output is chosen and what is in it: json, ndjson, csv, table and --jq, in a pipe and on a terminal. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Failure } from '../../src/runtime/failure.js';
import { debitOtp, ID, operation, payout } from '../support/requests.js';
import { asksTime, json, refusal, startService, type Answer, type Service } from '../support/service.js';
import { world, type Result, type RunOptions } from '../support/svc.js';

const home = world();
let service: Service;
let answer: Answer;
beforeAll(async () => {
  service = await startService((received, response, socket) => {
    const said = asksTime(received.target) ? refusal(404, 'not_found') : answer;
    said(received, response, socket);
  });
});
afterAll(async () => {
  await service.stop();
  home.remove();
});
beforeEach(() => {
  answer = json(200, LIST);
});

const TERMINAL: RunOptions = { tty: { stdout: true, stderr: true } };
const LIST =
  '{ "balances":[{"currency":"VES","available":"-12.50","reserved":"0.00"},\n {"currency":"KWD","available":"1.000","reserved":"0.000","new":1.10} ] }';

const ESCAPE = '\u001b';
const COLOUR = new RegExp(`${ESCAPE}\\[[0-9;]*m`);
/** Only our own colours go: any other escape stays and is found. */
const withoutColour = (text: string): string => text.replaceAll(new RegExp(COLOUR, 'g'), '');

function svc(type: string | readonly string[], options: RunOptions = {}): Promise<Result> {
  return home.svc(type, { ...options, env: { ...service.env, ...options.env }, wire: true });
}

describe('the default', () => {
  it('is the answer byte for byte and a newline in a pipe, a table on a terminal', async () => {
    expect((await svc('balances')).stdout).toBe(`${LIST}\n`);
    const { stdout } = await svc('balances', TERMINAL);
    expect(stdout).not.toContain('{');
    expect(withoutColour(stdout)).toMatch(/-12\.50.* VES/);
  });

  it('is set by SVC_OUTPUT, and a flag goes before it', async () => {
    const env = { SVC_OUTPUT: 'ndjson' };
    expect((await svc('balances', { env })).stdout.trimEnd().split('\n')).toHaveLength(2);
    expect((await svc('balances --json', { env })).stdout).toBe(`${LIST}\n`);
    expect((await svc('balances', { ...TERMINAL, env: { SVC_OUTPUT: 'json' } })).stdout).toContain(
      '[\n    {\n      ',
    );
    expect(await svc('balances', { env: { SVC_OUTPUT: 'yaml' } })).toMatchObject({ exitCode: 2, stdout: '' });
  });

  it('holds where SVC_OUTPUT=csv does not suit a single object', async () => {
    answer = json(200, operation());
    expect(await svc(`payouts get ${ID}`, { env: { SVC_OUTPUT: 'csv' } })).toMatchObject({ exitCode: 0 });
  });
});

describe('the forms', () => {
  it('--json and -o json are the same, before and behind the command', async () => {
    for (const line of [
      '--json balances',
      'balances --json',
      '-o json balances',
      'balances -o=json',
      '--output=json balances',
      'balances -ojson',
    ]) {
      expect((await svc(line)).stdout).toBe(`${LIST}\n`);
      expect((await svc(`--no-color ${line}`, TERMINAL)).stdout).toBe(
        `${JSON.stringify(JSON.parse(LIST), null, 2).replace('1.1\n', '1.10\n')}\n`,
      );
    }
  });

  it('ndjson is each element in its own bytes, one a line', async () => {
    expect((await svc('balances -o ndjson')).stdout).toBe(
      '{"currency":"VES","available":"-12.50","reserved":"0.00"}\n' +
        '{"currency":"KWD","available":"1.000","reserved":"0.000","new":1.10}\n',
    );
    answer = json(200, `{\n"id":"${ID}",\r\n "status":"pending"}`);
    expect((await svc(`payouts get ${ID} -o ndjson`)).stdout.trimEnd().split('\n')).toHaveLength(1);
  });

  it('csv has a header, a row for each element, and text that begins like a formula disarmed', async () => {
    answer = json(200, {
      balances: [
        { currency: '=1+1', available: '-12.50', reserved: '0' },
        { currency: '@SUM(A1)', available: '+1', reserved: '\tx', note: 'a,"b"' },
      ],
    });
    expect((await svc('balances -o csv')).stdout).toBe(
      'currency,available,reserved,note\n' + "'=1+1,-12.50,0,\n" + `'@SUM(A1),'+1,'\tx,"a,""b"""\n`,
    );
  });

  it('csv is refused for what is no list, and nothing is sent', async () => {
    service.received.length = 0;
    expect(await svc(`payouts get ${ID} -o csv`)).toMatchObject({ exitCode: 2, stdout: '' });
    expect(await svc('balances -o yaml')).toMatchObject({ exitCode: 2, stdout: '' });
    expect(await svc('balances --json -o csv')).toMatchObject({ exitCode: 2, stdout: '' });
    expect(service.received).toEqual([]);
  });

  it('a table fits its terminal', async () => {
    answer = json(200, { ...operation(), reference: 'word '.repeat(60), metadata: { key: 'x'.repeat(300) } });
    for (const columns of [60, 80, 200]) {
      const { stdout } = await svc(`payouts get ${ID}`, { ...TERMINAL, columns });
      for (const line of stdout.split('\n')) expect(withoutColour(line).length).toBeLessThanOrEqual(columns);
      expect(stdout).toContain(ID);
      expect(stdout).toContain('5.00 VES');
    }
  });

  it('a list may come in another wrapper, or as itself', async () => {
    const element = '{"currency":"VES","available":"1.00","reserved":"0.00"}';
    for (const body of [`{"data":[${element}],"total":1}`, `[${element}]`]) {
      answer = json(200, body);
      expect((await svc('balances')).stdout).toBe(`${body}\n`);
      expect((await svc('balances -o ndjson')).stdout).toBe(`${element}\n`);
      expect((await svc('balances', TERMINAL)).stdout).toContain('VES');
    }
  });
});

describe('--jq', () => {
  it('filters: strings raw, everything else as compact JSON, numbers as they are', async () => {
    expect((await svc(['balances', '--jq', '.balances[].currency'])).stdout).toBe('VES\nKWD\n');
    expect((await svc(['balances', '-q', '.balances[1].new'])).stdout).toBe('1.10\n');
    expect((await svc(['balances', '-q', '.balances[0]'])).stdout).toBe(
      '{"currency":"VES","available":"-12.50","reserved":"0.00"}\n',
    );
    expect((await svc(['-q', '.balances | length', 'balances'], TERMINAL)).stdout).toBe('2\n');
  });

  it('filters each element with -o ndjson', async () => {
    expect((await svc(['balances', '-o', 'ndjson', '-q', '.currency'])).stdout).toBe('VES\nKWD\n');
  });

  it('is compiled before anything is sent', async () => {
    service.received.length = 0;
    for (const filter of ['.[', '', 'nosuch']) {
      const result = await svc([...payout(), '--jq', filter]);
      expect(result).toMatchObject({ exitCode: 2, stdout: '' });
      expect(result.error()).toMatchObject({ outcome: 'not_sent' });
    }
    expect(service.calls()).toEqual([]);
  });

  it('that does not apply to the answer says that the request was carried out, and with which key', async () => {
    answer = json(201, operation());
    const result = await svc([...payout(), '--idempotency-key', 'invoice-2048', '--jq', '.id | keys']);
    expect(result).toMatchObject({ exitCode: 1, stdout: '' });
    expect(result.error()).toMatchObject({
      code: 'jq_failed',
      outcome: 'sent',
      idempotency_key: 'invoice-2048',
    });
  });

  it('prints no table', async () => {
    expect(await svc('balances -o table -q .')).toMatchObject({ exitCode: 2 });
  });
});

describe('text of the service', () => {
  const HOSTILE = '\u001b]0;owned\u0007\u001b[2J\u009b31m\u202egnp.exe\u2066\r\nfake\u0000\u007f';
  const UNSAFE = /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/u;
  const hostile = operation({
    reference: HOSTILE,
    status: HOSTILE,
    [HOSTILE]: HOSTILE,
    metadata: { a: HOSTILE },
  });

  it('drives no terminal: not as a table, not as JSON, not filtered', async () => {
    answer = json(200, hostile);
    for (const flags of [[], ['--json'], ['-o', 'ndjson']]) {
      const { stdout } = await svc(['payouts', 'get', ID, ...flags], TERMINAL);
      expect(withoutColour(stdout)).not.toMatch(UNSAFE);
      expect(stdout).toContain('\\u001b');
      expect(stdout).toContain('\\u009b');
    }
    const filtered = await svc(['payouts', 'get', ID, '--jq', '.reference'], TERMINAL);
    expect(filtered.stdout.replace('\r\n', '\n')).not.toMatch(UNSAFE);
  });

  it('drives no terminal in an error either', async () => {
    answer = json(400, {
      error: { code: HOSTILE, message: HOSTILE, details: [{ field: HOSTILE, code: HOSTILE }] },
    });
    for (const flags of [[], ['--json']]) {
      const { stderr } = await svc([...payout(), ...flags], TERMINAL);
      expect(withoutColour(stderr)).not.toMatch(UNSAFE);
      // Nor does it pass for a line of ours.
      expect(stderr).not.toMatch(/^fake/m);
    }
  });

  it('is passed on as it is in a pipe', async () => {
    const raw = `{"id":"${ID}","status":"pending","x":"\u009b\u202e"}`;
    answer = json(200, raw);
    expect((await svc(`payouts get ${ID}`)).stdout).toBe(`${raw}\n`);
  });

  it('is one line of JSON in an error, whatever it holds', async () => {
    answer = json(400, { error: { code: 'body_invalid', message: 'one\ntwo\u2028three' } });
    const result = await svc(debitOtp());
    expect(result.error()['message']).toBe('one\ntwo\u2028three');
  });
});

describe('colour', () => {
  const colours = async (options: RunOptions, flags = ''): Promise<boolean> =>
    COLOUR.test((await svc(`payouts get ${ID} -o table ${flags}`, options)).stdout);

  it.each<[string, boolean, RunOptions, string]>([
    ['a terminal has it', true, TERMINAL, ''],
    ['a pipe has none', false, {}, ''],
    ['--no-color', false, TERMINAL, '--no-color'],
    ['NO_COLOR', false, { ...TERMINAL, env: { NO_COLOR: '1' } }, ''],
    ['TERM=dumb', false, { ...TERMINAL, env: { TERM: 'dumb' } }, ''],
    ['FORCE_COLOR in a pipe', true, { env: { FORCE_COLOR: '1' } }, ''],
    ['FORCE_COLOR=0 on a terminal', false, { ...TERMINAL, env: { FORCE_COLOR: '0' } }, ''],
    ['NO_COLOR over FORCE_COLOR', false, { env: { FORCE_COLOR: '1', NO_COLOR: '1' } }, ''],
  ])('%s', async (_, has, options, flags) => {
    answer = json(200, operation());
    expect(await colours(options, flags)).toBe(has);
  });

  it('is for errors what standard error is', async () => {
    answer = json(404, {});
    const onTerminal = await svc(`payouts get ${ID} -o table`, { tty: { stderr: true } });
    expect(onTerminal.stderr).toMatch(COLOUR);
    expect((await svc(`payouts get ${ID} -o table`, { tty: { stdout: true } })).stderr).not.toMatch(COLOUR);
  });

  it('is in JSON at a terminal only: in a pipe it is the bytes', async () => {
    answer = json(200, operation());
    const env = { FORCE_COLOR: '3' };
    expect((await svc(`payouts get ${ID} --json`, { ...TERMINAL, env })).stdout).toMatch(COLOUR);
    expect((await svc(`payouts get ${ID} --json`, { env })).stdout).not.toMatch(COLOUR);
    expect((await svc(`payouts get ${ID} --json --no-color`, TERMINAL)).stdout).not.toMatch(COLOUR);
  });
});

describe('a standard output that fails', () => {
  const create = [...payout(), '--idempotency-key', 'invoice-2048'];

  it('whose reader went away is no failure', async () => {
    answer = json(201, operation());
    expect(await svc(create, { breakAfterWrites: 0 })).toMatchObject({
      exitCode: 0,
      stderr: expect.not.stringContaining('rror') as string,
    });
  });

  it('hides no failure of the operation', async () => {
    answer = json(
      201,
      operation({ status: 'failed', failure: { code: 'rejected', reason: 'other', message: 'No.' } }),
    );
    expect(await svc(create, { breakAfterWrites: 0 })).toMatchObject({ exitCode: 9 });
  });

  it('that is full ends with 16, and says that the request was carried out and with which key', async () => {
    answer = json(201, operation());
    const writeError = new Failure('local_state', 'Standard output could not be written. The disk is full.');
    const result = await svc(create, { breakAfterWrites: 0, writeError });
    expect(result).toMatchObject({ exitCode: 16, stdout: '' });
    expect(result.error()).toMatchObject({
      outcome: 'sent',
      idempotency_key: 'invoice-2048',
      code: 'local_state',
    });
  });
});

it('--debug shows requests, answers and waits on standard error, and leaves standard output alone', async () => {
  let turn = 0;
  answer = (...all) => (turn++ === 0 ? json(503, '')(...all) : json(200, LIST)(...all));
  const result = await svc('balances --debug');
  expect(result.stdout).toBe(`${LIST}\n`);
  expect(result.stderr).toMatch(/> GET http.*\/sandbox\/v2\/balances\n/);
  expect(result.stderr).toMatch(/< 503 in \d+ ms\n/);
  expect(result.stderr).toMatch(/next attempt in \d+ ms\n/);
  expect(result.stderr).toMatch(/< 200 in \d+ ms\n/);
});
