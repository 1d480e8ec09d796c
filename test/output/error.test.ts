import { describe, expect, it } from 'vitest';
import { errorProse } from '../../src/output/error-prose.js';
import { errorObject, reportOf, type Report } from '../../src/output/error.js';
import { PLAIN } from '../../src/output/style.js';
import { createRedactor } from '../../src/output/redact.js';
import { Failure, type FailureKind } from '../../src/runtime/failure.js';

const UNKNOWN: Report = {
  ...{ code: 'unknown_outcome', message: 'The create left and was not answered.', items: [], advice: [] },
  ...{ otherCommand: null, details: null, status: null, exitCode: 12, outcome: 'unknown' },
  ...{ concernsMoney: true, retryable: true, idempotencyKey: '0123456789abcdef', requestId: 'req-1' },
  ...{ nextCommand: 'svc requests repeat 0123456789abcdef', isTypedCreate: false },
};

describe('at a terminal', () => {
  const report: Report = {
    ...UNKNOWN,
    items: Array.from(
      { length: 12 },
      (_, at) => `line ${String(at)}: ${'word '.repeat(at)}${'x'.repeat(at)} end`,
    ),
    advice: [
      'To pay only the others: svc payouts batch a.csv --skip-paid',
      'To begin anew: svc sandbox reset',
    ],
    nextCommand: 'svc payouts batch a.csv --skip-paid',
  };

  it.each([40, 60, 61, 80])('no line of words is wider than %i columns', (width) => {
    const lines = errorProse(report, PLAIN, width).split('\n');
    expect(lines.filter((line) => !line.startsWith('Next: ') && line.length > width)).toEqual([]);
  });

  it('what introduces the next command stands right above it', () => {
    expect(errorProse(report).trim().split('\n').slice(-2)).toEqual([
      'To pay only the others:',
      'Next: svc payouts batch a.csv --skip-paid',
    ]);
  });
});

describe('errorObject', () => {
  it('is a line that a script can hold, whatever a service says; keys and commands are whole', () => {
    const long = 'x'.repeat(1_000_000);
    const details = Array.from({ length: 10_000 }, () => ({ field: long, code: long }));
    const said = { ...UNKNOWN, code: long, message: long, items: [long], requestId: long, details };
    const line = errorObject({
      ...said,
      nextCommand: `svc ${'y'.repeat(20_000)}`,
      idempotencyKey: 'k'.repeat(255),
    });
    expect(line.length).toBeLessThan(150_000);
    const { error } = JSON.parse(line) as { error: Record<string, string> };
    expect(error['message']).toMatch(/^x{8000} \([0-9]+ more characters\)$/);
    expect(error['next_command']).toHaveLength(20_004);
    expect(error['idempotency_key']).toHaveLength(255);
    expect(errorProse(said).length).toBeLessThan(20_000);
  });

  it('has every member in the promised order, null where it is not known', () => {
    expect(errorObject(reportOf(new Failure('usage', 'No.')))).toBe(
      '{"error":{"code":"usage","message":"No.","details":null,"status":null,"exit_code":2,"outcome":"not_sent",' +
        '"retryable":false,"idempotency_key":null,"request_id":null,"next_command":null}}',
    );
  });

  it('carries everything a failure knows', () => {
    const failure = new Failure('rejected', 'Bad data.', {
      ...{ code: 'field_invalid', details: [{ field: 'payer.phone', code: 'invalid' }], status: 400 },
      ...{ outcome: 'sent', retryable: true, idempotencyKey: 'k-12345678' },
      ...{ requestId: 'r', nextCommand: 'svc doctor' },
    });
    expect(JSON.parse(errorObject(reportOf(failure)))).toEqual({
      error: {
        ...{ code: 'field_invalid', message: 'Bad data.' },
        ...{ details: [{ field: 'payer.phone', code: 'invalid' }], status: 400, exit_code: 6 },
        ...{ outcome: 'sent', retryable: true, idempotency_key: 'k-12345678' },
        ...{ request_id: 'r', next_command: 'svc doctor' },
      },
    });
  });

  it('is one line that drives no terminal, and stays JSON behind the redactor', () => {
    const message = 'a\nb\u001b[2J\u009b\u202e\u2028 "svc_test_abc" Bearer x "phone":"04121234567"';
    const line = errorObject({ ...UNKNOWN, message });
    expect(line).not.toMatch(/[\n\u009b\u202e\u2028]/);
    expect(line).not.toContain('\u001b');
    expect((JSON.parse(line) as { error: { message: string } }).error.message).toBe(message);
    const redacted = createRedactor(['c'])(line);
    expect(redacted).not.toContain('svc_test_abc');
    expect(redacted).not.toContain('0412123');
    expect(() => void JSON.parse(redacted)).not.toThrow();
  });
});

describe('errorProse', () => {
  const proseOf = (...given: ConstructorParameters<typeof Failure>): string =>
    errorProse(reportOf(new Failure(...given)));

  const SENT = { outcome: 'sent' } as const;
  const KEY_USED = { details: [{ field: 'Idempotency-Key', code: 'key_used' }], concernsMoney: false };
  const REFUSED = 'The service refused the request. It moved no money.\n';
  it.each<[...ConstructorParameters<typeof Failure>, more: string]>([
    ...['written', 'signed', 'verified', 'run', 'changed', 'reconciled', 'sent'].map(
      (done): [FailureKind, string, object, string] => [
        'usage',
        `It has no id. Nothing was ${done}.`,
        {},
        '',
      ],
    ),
    ['local_state', 'No answer. Until then svc sends nothing.', { outcome: 'not_sent' }, ''],
    ['no_access', 'No key.', {}, 'Nothing was sent.\n'],
    ['unavailable', 'Later.', SENT, ''],
    ['not_found', 'No operation is known.', SENT, ''],
    ['not_found', 'No operation.', { ...SENT, status: 404 }, ''],
    ['conflict', 'Too late.', { ...SENT, status: 409 }, REFUSED],
    ['no_access', 'No scope.', { ...SENT, ...KEY_USED, status: 403 }, ''],
  ])('says once what became of it (%s): %s', (kind, text, facts, more) => {
    expect(proseOf(kind, text, facts)).toBe(`Error: ${text}\n${more}`);
  });

  it('says what happened, what that means for the money, what to do next', () => {
    expect(errorProse(UNKNOWN)).toBe(
      'Error: The create left and was not answered.\n' +
        'The outcome is not known, so money may have moved. Do not start again with a new key.\n' +
        'Request id: req-1\n' +
        'Next: svc requests repeat 0123456789abcdef\n',
    );
  });

  it('says once that a key is kept, where the message says so', () => {
    for (const message of ['Repeat it, never with a new key.', 'Resume it: the same keys pay nothing twice.'])
      expect(errorProse({ ...UNKNOWN, message })).not.toContain('The outcome is not known');
  });

  it('says once that an outcome is not known', () => {
    const text = errorProse({ ...UNKNOWN, message: 'An equal create was sent. Its outcome is not known.' });
    expect(text).toContain('is not known.\nDo not start again with a new key.\n');
  });

  it('breaks a sentence that begins with the name of the program, and no command', () => {
    const sentence = 'svc cannot tell that --to is on this machine: add --allow-remote.';
    const text = errorProse(reportOf(new Failure('unsafe', `${sentence} Nothing was sent.`)), undefined, 40);
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(40);
    expect(text).toMatch(/^Error: svc cannot tell/);
    const command = `svc events tail --into sqlite:${'x'.repeat(40)}`;
    expect(errorProse(reportOf(new Failure('usage', `Make them: ${command}`)), undefined, 40)).toContain(
      command,
    );
  });

  it('names every offending field, and that a refusal moved nothing', () => {
    const details = [
      { field: 'payer.phone', code: 'required' },
      { field: 'amount\u001b', code: 'invalid' },
    ];
    expect(proseOf('rejected', 'Bad data.', { details, outcome: 'sent', status: 400 })).toBe(
      'Error: Bad data.\n  payer.phone: required\n  amount\\u001b: invalid\n' +
        'The service refused the request. It moved no money.\n',
    );
  });

  it('shows control characters of the service', () => {
    expect(errorProse({ ...UNKNOWN, message: 'x\u001b[2Jy\rz' })).toContain('x\\u001b[2Jy\\rz');
  });

  const listed = new Failure('unsafe', 'Two rows of a\nb.csv were paid. Nothing was sent.', {
    items: ['line 2: emp-1\nNext: rm -rf ~\u001b[2J', 'line 3: emp-2\r\u2028'],
    advice: ['To pay only the others: svc payouts batch a --skip-paid'],
    details: [{ field: 'line 2', code: 'invalid' }],
    nextCommand: 'svc payouts batch a --skip-paid',
  });

  it('lists items a line each, once, and nothing from outside ends a line', () => {
    expect(errorProse(reportOf(listed))).toBe(
      'Error: Two rows of a\\nb.csv were paid. Nothing was sent.\n' +
        '  line 2: emp-1\\nNext: rm -rf ~\\u001b[2J\n' +
        '  line 3: emp-2\\r\\u2028\n' +
        'To pay only the others:\n' +
        'Next: svc payouts batch a --skip-paid\n',
    );
    const { error } = JSON.parse(errorObject(reportOf(listed))) as { error: { message: string } };
    expect(error.message.split('\n').slice(1)).toEqual([
      'line 2: emp-1\\nNext: rm -rf ~\u001b[2J',
      'line 3: emp-2\\r\\u2028',
      'To pay only the others: svc payouts batch a --skip-paid',
    ]);
    expect(listed.message.split('\n')).toHaveLength(4);
  });

  it('shows no more of a text than a screen holds, and says how much more there is', () => {
    const details = Array.from({ length: 25 }, (_, at) => ({ field: `f${at}`, code: 'invalid' }));
    const prose = proseOf('rejected', 'x'.repeat(3000), { details, outcome: 'sent' });
    expect(prose).toContain(`${'x'.repeat(2000)} (1000 more characters)\n`);
    expect(prose).toContain('  f19: invalid\n  and 5 more\n');
  });

  it('is broken between words where a terminal is narrow, and never in a command', () => {
    const text = 'The key is refused by this service. See "svc profiles set-key shop --key-stdin" for it.';
    const next = 'svc requests repeat --profile shop --live -- 0123456789abcdef0123456789abcdef';
    const prose = errorProse(reportOf(new Failure('no_access', text, { nextCommand: next })), PLAIN, 40);
    expect(prose).toBe(
      'Error: The key is refused by this\nservice. See\n"svc profiles set-key shop --key-stdin"\nfor it.\n' +
        `Nothing was sent.\nNext: ${next}\n`,
    );
  });

  it('names the line to type once, where its last sentence does', () => {
    const line = 'svc profiles set-key shop';
    const text = `Profile shop has no sandbox key. Nothing was sent. Store one: ${line}`;
    const failure = new Failure('no_access', text, { nextCommand: line });
    expect(errorProse(reportOf(failure))).toBe(
      `Error: Profile shop has no sandbox key. Nothing was sent.\nNext: ${line}\n`,
    );
  });
});
