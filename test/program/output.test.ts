import { beforeEach, describe, expect, it } from 'vitest';
import { ID, operation, payout } from '../support/requests.js';
import { asksTime, json, refusal, startService, type Answer } from '../support/service.js';
import { world, type Result, type RunOptions } from '../support/svc.js';

const home = world();
let answer: Answer;
const service = await startService((received, response, socket) => {
  const said = asksTime(received.target) ? refusal(404, 'not_found') : answer;
  said(received, response, socket);
});
beforeEach(() => void (answer = json(200, LIST)));

const TERMINAL: RunOptions = { tty: { stdout: true, stderr: true } };
const LIST =
  '{ "balances":[{"currency":"VES","available":"-12.50","reserved":"0.00"},\n {"currency":"KWD","available":"1.000","reserved":"0.000","new":1.10} ] }';

const ESCAPE = '\u001b';
const COLOUR = new RegExp(`${ESCAPE}\\[[0-9;]*m`);
/** Only our own colours are removed, so that any other escape is found. */
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

  it('is set by SVC_OUTPUT', async () => {
    const { stdout } = await svc('balances', { ...TERMINAL, env: { SVC_OUTPUT: 'json' } });
    expect(stdout).toContain('[\n    {\n      ');
  });
});

describe('the forms', () => {
  it('ndjson is a line for each element, csv a row behind a header', async () => {
    expect((await svc('balances -o ndjson')).stdout).toBe(
      '{"currency":"VES","available":"-12.50","reserved":"0.00"}\n' +
        '{"currency":"KWD","available":"1.000","reserved":"0.000","new":1.10}\n',
    );
    answer = json(200, { balances: [{ currency: '=1+1', available: '-12.50', reserved: '0' }] });
    expect((await svc('balances -o csv')).stdout).toBe("currency,available,reserved\n'=1+1,-12.50,0\n");
  });

  it('csv is refused for what is no list, and nothing is sent', async () => {
    service.received.length = 0;
    expect(await svc(`payouts get ${ID} -o csv`)).toMatchObject({ exitCode: 2, stdout: '' });
    expect(service.received).toEqual([]);
  });
});

describe('--jq', () => {
  it('filters the answer, and each element with -o ndjson', async () => {
    expect((await svc(['-q', '.balances[1].new', 'balances'], TERMINAL)).stdout).toBe('1.10\n');
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
      expect(stderr).not.toMatch(/^fake/m);
    }
  });
});

describe('colour', () => {
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

it('a standard output whose reader went away hides no failure of the operation', async () => {
  const failure = { code: 'rejected', reason: 'other', message: 'No.' };
  answer = json(201, operation({ status: 'failed', failure }));
  const create = [...payout(), '--idempotency-key', 'invoice-2048'];
  expect(await svc(create, { breakAfterWrites: 0 })).toMatchObject({ exitCode: 9 });
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
