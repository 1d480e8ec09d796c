import { describe, expect, it } from 'vitest';
import { debugAnswer, debugRequest } from '../../src/session/debug.js';
import { createRedactor } from '../../src/output/redact.js';
import { bytes } from '../output/samples.js';

const redact = createRedactor(['hunter2-hunter2', '987654']);

describe('debugRequest', () => {
  it('shows headers by allow-list and hides keys, codes and persons', () => {
    const headers = {
      authorization: 'Bearer svc_test_0123456789',
      'idempotency-key': 'k-12345678',
      'content-type': 'application/json',
      cookie: 'session=1',
    };
    const body = bytes('{"code":"987654","payer":{"phone":"04121234567"},"note":"hunter2-hunter2\u009b"}');
    const url = 'http://127.0.0.1:4010/sandbox/v2/payins';
    expect(debugRequest({ method: 'POST', url, headers, body }, redact)).toBe(
      [
        '> POST http://127.0.0.1:4010/sandbox/v2/payins',
        '> authorization: Bearer ***',
        '> idempotency-key: k-12345678',
        '> content-type: application/json',
        '> cookie: (hidden)',
        '> {"code":"***","payer":{"phone":"***4567"},"note":"***\\u009b"}',
        '',
      ].join('\n'),
    );
  });

  it('has no line for a body that is not there', () => {
    expect(debugRequest({ method: 'GET', url: 'http://localhost/', headers: {}, body: null }, redact)).toBe(
      '> GET http://localhost/\n',
    );
  });
});

describe('debugAnswer', () => {
  it.each(['Retry-After', 'X-Request-Id', 'Allow', 'Date'])('shows %s', (name) => {
    const answer = { status: 429, headers: [[name, '7'] as const], body: bytes('') };
    expect(debugAnswer(answer, 0, redact)).toBe(`< 429 in 0 ms\n< ${name}: 7\n`);
  });

  it('marks every line, and hides a signing secret that was just made', () => {
    const json = ['Content-Type', 'application/json'] as const;
    const headers = [json, ['X-Internal', 'bank-7'] as const];
    const body = bytes('{\n"secret":"not-yet-known"\n}');
    expect(debugAnswer({ status: 201, headers, body }, 12.6, redact)).toBe(
      '< 201 in 13 ms\n< Content-Type: application/json\n< X-Internal: (hidden)\n< {\n< "secret":"***"\n< }\n',
    );
  });

  it('cuts a long body, after it was redacted: half a secret would not be found', () => {
    const body = bytes('x'.repeat(4090) + 'hunter2-hunter2' + 'y'.repeat(5000));
    const shown = debugAnswer({ status: 200, headers: [], body }, 1, redact);
    expect(shown).not.toContain('hunter2');
    expect(shown).toMatch(/\n< x{4090}\*\*\*yyy\n< \(4997 more characters\)\n$/);
  });
});
