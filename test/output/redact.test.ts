import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/output/redact.js';

const redact = createRedactor([]);

const secret = fc
  .string({
    unit: fc.constantFrom(...'abcdefXYZ0189+/=_-.~$%&?"\\é {}()[]*^|'.split('')),
    minLength: 8,
    maxLength: 40,
  })
  .filter((text) => text.trim().length >= 8);
const around = fc.string({ maxLength: 12 });

const ENCODINGS: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  json: (text) => JSON.stringify(text),
  url: (text) => encodeURIComponent(text),
  'url in lower case': (text) => encodeURIComponent(text).replace(/%../g, (escape) => escape.toLowerCase()),
  'url with plus for a space': (text) => encodeURIComponent(text).replaceAll('%20', '+'),
  hex: (text) => Buffer.from(text).toString('hex'),
  'hex in capitals': (text) => Buffer.from(text).toString('hex').toUpperCase(),
  base64: (text) => Buffer.from(text).toString('base64'),
  base64url: (text) => Buffer.from(text).toString('base64url'),
  'base64 in a url': (text) => encodeURIComponent(Buffer.from(text).toString('base64')),
  'base64 after one character': (text) => Buffer.from(`u${text}`).toString('base64'),
  'base64 after two characters': (text) => Buffer.from(`u:${text}`).toString('base64'),
  'base64 in the middle': (text) => Buffer.from(`user:${text}@host`).toString('base64'),
};

const core = (encoded: string): string => encoded.slice(4, -8);

describe('createRedactor', () => {
  it.each(Object.keys(ENCODINGS))('hides a given secret: %s', (name) => {
    const encode = ENCODINGS[name]!;
    fc.assert(
      fc.property(secret, around, around, (planted, before, after) => {
        const encoded = encode(planted);
        const shown = createRedactor([planted])(before + encoded + after);
        expect(shown).toContain('***');
        expect(shown).not.toContain(encoded);
        expect(shown.includes(core(encoded)) && core(encoded).length >= 8).toBe(false);
        expect(shown).not.toContain(planted);
      }),
    );
  });

  it.each(['a1b2', '7391', 'x', '00000'])('hides a given secret that is as short as %s', (short) => {
    const redactor = createRedactor([short]);
    expect(redactor(`said: ${short}.`)).toBe('said: ***.');
    expect(redactor(`{"pin":"${short}"}`)).toBe('{"pin":"***"}');
  });

  it('hides a secret whole that holds another one', () => {
    const redactor = createRedactor(['hunter2-horse', 'hunter2-horse-battery-staple']);
    expect(redactor('a hunter2-horse-battery-staple, a hunter2-horse')).toBe('a ***, a ***');
  });

  it('leaves text without secrets unchanged', () => {
    const redactor = createRedactor(['svc_test_9f3a61c27be04d58', 'whsec_70c1e5d92b', '123456']);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        fc.pre(!text.includes('123456') && !/(phone|number|document)=/i.test(text));
        expect(redactor(text)).toBe(text);
      }),
    );
    for (const text of [
      'Keys start with svc_test_... or svc_live_; the whsec_ of a webhook does not.',
      'They begin with svc_live_sandbox_. Not with whsec_, (svc_test_) or (whsec_): svc_live_sandbox_',
      '{"message":"It begins with svc_live_sandbox_.\\nIt begins with whsec_."}',
      '{"error":{"code":"field_required","message":"a bearer","details":[{"field":"payer.phone","code":"required"}]}}',
      '{"code":"0102","name":"Banco de Venezuela"}',
      'svc requests repeat 0123456789abcdef0123456789abcdef --profile shop',
      'amount 1234567.50 VES, reference 9123456',
    ]) {
      expect(redactor(text)).toBe(text);
    }
  });

  it.each([
    ['12345678', '12345678-1234-4c5e-8f70-123456789012'],
    ['1234', '12345678-1234-4c5e-8f70-123456789012'],
    ['12345678', 'GET /v2/payins/12345678-1234-4C5E-8F70-123456789012/confirm'],
    ['1234', 'Idempotency-Key: 00ff1234ab0123456789abcdef012345'],
  ])('hides no part of an id as the code %s: %s', (code, text) => {
    const redactor = createRedactor([code]);
    expect(redactor(text)).toBe(text);
    expect(redactor(`${text} --code ${code}: ${code}-${code}`)).toBe(`${text} --code ***: ***-***`);
  });

  it('changes nothing twice, and leaves JSON JSON', () => {
    const members = fc.dictionary(
      fc.constantFrom('phone', 'number', 'account_number', 'document', 'code', 'secret', 'api_key', 'note'),
      fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer(), fc.stringMatching(/^[0-9]{4,20}$/)),
    );
    fc.assert(
      fc.property(members, secret, (object, planted) => {
        const redactor = createRedactor([planted]);
        const once = redactor(JSON.stringify({ ...object, planted }));
        expect(redactor(once)).toBe(once);
        expect(() => void JSON.parse(once)).not.toThrow();
      }),
    );
  });

  it('hides keys, tokens and signing secrets that nobody named', () => {
    expect(redact('key=svc_live_AbC-12_3 x')).toBe('key=svc_live_*** x');
    expect(redact('{"api_key":"svc_test_abc","pid":7}')).toBe('{"api_key":"***","pid":7}');
    expect(redact('Authorization: Bearer abc.def, x')).toBe('Authorization: Bearer *** x');
    expect(redact('authorization: bearer svc_test_9')).toBe('authorization: bearer ***');
    expect(redact('?authorization=Bearer%20abc.def')).toBe('?authorization=Bearer%20***');
    expect(redact('secret whsec_00ff.')).toBe('secret whsec_***');
    expect(redact('svc_live_sandbox_. svc_live_sandbox_0a.')).toBe('svc_live_sandbox_. svc_live_***');
    expect(redact('whsec_.a whsec_, svc_live_sandbox_.a')).toBe('whsec_*** whsec_, svc_live_***');
  });

  it('hides members that hold secrets, in JSON and in JSON inside JSON', () => {
    const body = { secret: 'plain-old', code: '123456', n: { code: 654321 } };
    expect(redact(JSON.stringify(body))).toBe('{"secret":"***","code":"***","n":{"code":"***"}}');
    const nested = redact(JSON.stringify({ body: JSON.stringify(body) }));
    expect(JSON.parse((JSON.parse(nested) as { body: string }).body)).toEqual({
      ...{ secret: '***', code: '***', n: { code: '***' } },
    });
  });

  it('keeps the last four of what names a person', () => {
    const body = {
      account_number: '01020123456789012345',
      phone: '04121234567',
      document: { type: 'V', number: '12345678' },
    };
    expect(redact(JSON.stringify(body))).toBe(
      '{"account_number":"***2345","phone":"***4567","document":{"type":"V","number":"***5678"}}',
    );
    expect(redact('{"phone":"1234","number":"12345"}')).toBe('{"phone":"***","number":"***2345"}');
    expect(redact('{ "phone" : 4121234567, "document":"J1", "number":"é1234" }')).toBe(
      '{ "phone" : "***4567", "document":"***", "number":"***1234" }',
    );
    expect(redact('--payer document.number=12345678 --payer phone=04121234567')).toBe(
      '--payer document.number=***5678 --payer phone=***4567',
    );
    expect(redact('document.number=V-12,345,678')).not.toContain('345');
    const map =
      '--map payer.document.number=Cédula,payer.phone=10,payer.account_number=payer.account_number,metadata.a=B';
    expect(redact(map)).toBe(map);
  });

  it('learns secrets later: each half of a rotation, a code as a whole number only', () => {
    const redactor = createRedactor(['', '  ']);
    expect(redactor('old-secret-1  424242')).toBe('old-secret-1  424242');
    redactor.add(['old-secret-1 new-secret-2\n', '424242']);
    expect(redactor('old-secret-1, new-secret-2, 424242, 94242421')).toBe('***, ***, ***, 94242421');
  });

  it('hides what follows the prefix of a known key, in every form', () => {
    for (const key of ['svc_live_Q7f-9+z/W1', 'svc_test_Q7f-9+z/W1', 'whsec_Q7f-9+z/W1']) {
      const redactor = createRedactor([key]);
      const part = key.replace(/^.*_/, '');
      for (const [name, encode] of Object.entries(ENCODINGS)) {
        const shown = redactor(`a ${encode(part)} b`);
        expect([name, shown.includes(encode(part))]).toEqual([name, false]);
        expect(shown).toContain('***');
      }
    }
    expect(createRedactor(['svc_test_ab'])('ab is no secret')).toBe('ab is no secret');
  });

  const CODES = ['A1B2C3', 'abc123', '12-34-56', 'QWERTY', '123456'];
  it.each(CODES)('hides a one-time code such as %s', (code) => {
    expect(redact(JSON.stringify({ code }))).toBe('{"code":"***"}');
    const nested = redact(JSON.stringify({ body: JSON.stringify({ code }) }));
    expect((JSON.parse(nested) as { body: string }).body).toBe('{"code":"***"}');
    expect(redact(`api POST x -f code=${code} --debug`)).toBe('api POST x -f code=*** --debug');
  });

  const NO_CODES = ['field_required', 'mobile_payment', 'VES', 'VE', '0102', 'expired', 'debit_otp2x', '003'];
  it.each(NO_CODES)('shows %s, which is no one-time code', (code) =>
    expect(redact(JSON.stringify({ code }))).toBe(JSON.stringify({ code })),
  );

  const MANY = 500_000;
  it.each<[string, string]>([
    ['backslashes', '\\'.repeat(MANY)],
    ['backslashes before quotes', `${'\\'.repeat(MANY)}"`],
    ['names with nothing behind them', '"secret"'.repeat(MANY / 8)],
    ['names and spaces', `"code"${' '.repeat(MANY)}`.repeat(2)],
    ['texts without an end', '"secret":"\\'.repeat(MANY / 11)],
    ['nested texts without an end', '\\"secret\\":\\"a'.repeat(MANY / 16)],
    ['tokens', 'Bearer '.repeat(MANY / 7)],
    ['tokens and spaces', `Bearer${' '.repeat(MANY)}*`],
    ['quotes', '"'.repeat(MANY)],
    ['equal signs', 'phone='.repeat(MANY / 6)],
  ])('reads half a megabyte of %s once: a look back from each place would be 10^11 steps', (_what, text) => {
    expect(typeof redact(text)).toBe('string');
    expect(redact(`${text} svc_live_SECRET `)).not.toContain('SECRET');
  });
});
