/** Errors as one JSON line and as prose. */
import { describe, expect, it } from 'vitest';
import { errorObject, errorProse, reportOf, type Report } from '../../src/output/error.js';
import { createRedactor } from '../../src/output/redact.js';
import { Failure } from '../../src/runtime/failure.js';

const UNKNOWN: Report = {
  code: 'unknown_outcome',
  message: 'The create left and was not answered.',
  details: null,
  status: null,
  exitCode: 12,
  outcome: 'unknown',
  retryable: true,
  idempotencyKey: '0123456789abcdef',
  requestId: 'req-1',
  nextCommand: 'svc requests repeat 0123456789abcdef',
};

describe('errorObject', () => {
  it('has every member in the promised order, null where it is not known', () => {
    expect(errorObject(reportOf(new Failure('usage', 'No.')))).toBe(
      '{"error":{"code":"usage","message":"No.","details":null,"status":null,"exit_code":2,"outcome":"not_sent",' +
        '"retryable":false,"idempotency_key":null,"request_id":null,"next_command":null}}',
    );
  });

  it('carries everything a failure knows', () => {
    const failure = new Failure('rejected', 'Bad data.', {
      code: 'field_invalid',
      details: [{ field: 'payer.phone', code: 'invalid' }],
      status: 400,
      outcome: 'sent',
      retryable: true,
      idempotencyKey: 'k-12345678',
      requestId: 'r',
      nextCommand: 'svc doctor',
    });
    expect(JSON.parse(errorObject(reportOf(failure)))).toEqual({
      error: {
        code: 'field_invalid',
        message: 'Bad data.',
        details: [{ field: 'payer.phone', code: 'invalid' }],
        status: 400,
        exit_code: 6,
        outcome: 'sent',
        retryable: true,
        idempotency_key: 'k-12345678',
        request_id: 'r',
        next_command: 'svc doctor',
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
  it('says what happened, what that means for the money, what to do next', () => {
    expect(errorProse(UNKNOWN)).toBe(
      'Error: The create left and was not answered.\n' +
        'It is not known whether this was carried out, so money may have moved. Do not start again with a new key.\n' +
        'Idempotency-Key: 0123456789abcdef\n' +
        'Request id: req-1\n' +
        'Next: svc requests repeat 0123456789abcdef\n',
    );
  });

  it('names every offending field, and that a refusal moved nothing', () => {
    const details = [
      { field: 'payer.phone', code: 'required' },
      { field: 'amount\u001b', code: 'invalid' },
    ];
    expect(
      errorProse(reportOf(new Failure('rejected', 'Bad data.', { details, outcome: 'sent', status: 400 }))),
    ).toBe(
      'Error: Bad data.\n  payer.phone: required\n  amount\\u001b: invalid\n' +
        'The service refused the request: this request moved no money.\n',
    );
  });

  it('says once that nothing was sent, and claims nothing where it can not know', () => {
    expect(errorProse(reportOf(new Failure('usage', 'No id. Nothing was sent.')))).toBe(
      'Error: No id. Nothing was sent.\n',
    );
    expect(errorProse(reportOf(new Failure('no_access', 'No key.')))).toBe(
      'Error: No key.\nNothing was sent.\n',
    );
    expect(errorProse(reportOf(new Failure('unavailable', 'Later.', { outcome: 'sent' })))).toBe(
      'Error: Later.\n',
    );
  });

  it('shows control characters of the service', () => {
    expect(errorProse({ ...UNKNOWN, message: 'x\u001b[2Jy\rz' })).toContain('x\\u001b[2Jy\\rz');
  });
});
