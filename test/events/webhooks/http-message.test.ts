import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { readMessage, type HttpMessage } from '../../../src/events/webhooks/http-message.js';

const read = (text: string | Uint8Array): HttpMessage => readMessage(Buffer.from(text));
function plain(message: HttpMessage): unknown {
  if (message.kind === 'malformed') return message.why;
  const { body, headers } = message.delivery;
  const named = headers.map(([name, value]) => `${name}=${value}`);
  return [message.kind, named, Buffer.from(body).toString('latin1')];
}

describe('a request', () => {
  it.each<[string, string, string[], string]>([
    ['with CRLF', 'POST /h HTTP/1.1\r\nA: 1\r\nB: 2\r\n\r\n{}\r\n', ['A=1', 'B=2'], '{}\r\n'],
    ['with LF', 'POST /h HTTP/1.1\nA: 1\n\n{}\n', ['A=1'], '{}\n'],
    ['with both', 'POST /h HTTP/1.1\r\nA: 1\nB: 2\r\n\n{}', ['A=1', 'B=2'], '{}'],
    ['headers alone', 'X-Firma: v1=a\nX-Timestamp: 1\n\n{}', ['X-Firma=v1=a', 'X-Timestamp=1'], '{}'],
    ['HTTP/2', 'POST /h?x=1 HTTP/2\na: 1\n\n{}', ['a=1'], '{}'],
    ['no header', 'POST / HTTP/1.1\n\n{}', [], '{}'],
    ['the same header twice', 'a: 1\nA: 2\na: 1\n\n', ['a=1', 'A=2', 'a=1'], ''],
    ['white space around values', 'a: \t 1 2 \t\nb:2\nc:\n\n', ['a=1 2', 'b=2', 'c='], ''],
    ['colons in a value', 'Host: localhost:4010\n\n', ['Host=localhost:4010'], ''],
    ['an empty line in the body', 'a: 1\n\n\n\nx: y\n\n', ['a=1'], '\n\nx: y\n\n'],
    ['bytes beyond ASCII', 'a: \xe9\n\n\xff\x00\r', ['a=\xe9'], '\xff\x00\r'],
  ])('%s', (_name, text, headers, body) => {
    expect(plain(read(Buffer.from(text, 'latin1')))).toEqual(['request', headers, body]);
  });

  it.each<[string, string, RegExp]>([
    ['a line without a colon', 'POST / HTTP/1.1\nA: 1\nhello\n\n{}', /^line 3 is not a header$/],
    ['a folded line', 'A: 1\n folded\n\n{}', /^line 2 is not a header$/],
    ['a space before the colon', 'A: 1\nB : 2\n\n{}', /^line 2 /],
    ['a NUL', 'A: 1\nB: \0\n\n{}', /^line 2 /],
    ['a bare CR', 'A: 1\nB: 1\r2\n\n{}', /^line 2 /],
    ['no empty line', 'POST / HTTP/1.1\nA: 1\n', /no empty line/],
    ['a last line without an end', 'A: 1\nB: 2', /no empty line/],
    ['headers without an end', `A: 1\n${'B: 2\n'.repeat(20_000)}\n{}`, /longer than 65536 bytes/],
  ])('%s is malformed', (_name, text, why) => expect(plain(read(text))).toMatch(why));

  it('does not take long over a line of spaces', () => {
    expect(read(`a:${' '.repeat(60_000)}x${' '.repeat(2000)}\n\n`).kind).toBe('request');
  });
});

describe('a raw body', () => {
  it.each([
    ...['{"id":"x: y"}', '{\n"a": 1\n}\n\n', '{"a":\nX-Firma: v1=0\n\n', ' {"a":1}', '\n\n{"a":1}'],
    ...['\r\na: 1\n\n', '"a: 1"\n\n', '[1]\n', '\uFEFFPOST / HTTP/1.1\n\n', 'POST /\n\n{}'],
    ...['HTTP/1.1 200 OK\n\n{}', 'hello world\n\n', 'a: 1', '', '\xff\xfe'],
  ])('%j', (text) => expect(plain(read(text))).toEqual(['body', [], Buffer.from(text).toString('latin1')]));

  it('keeps every byte of any JSON', () => {
    const ends = fc.constantFrom('', '\n', '\r\n\r\n');
    const property = fc.property(fc.json(), ends, (json, end) => {
      const bytes = Buffer.from(json + end);
      const message = readMessage(bytes);
      expect(message.kind === 'body' && Buffer.from(message.delivery.body).equals(bytes)).toBe(true);
    });
    fc.assert(property);
  });
});

it('keeps the body of any request', () => {
  const end = fc.constantFrom('\n', '\r\n');
  const value = fc.stringMatching(/^[!-~]([ -~]{0,20}[!-~])?$/);
  const header = fc.tuple(fc.stringMatching(/^[A-Za-z-]{1,12}$/), value);
  const all = fc.array(header, { minLength: 1 });
  const property = fc.property(all, end, fc.uint8Array(), (headers, line, body) => {
    const head = headers.map(([name, value]) => `${name}: ${value}${line}`).join('') + line;
    const message = readMessage(Buffer.concat([Buffer.from(head), body]));
    expect(message).toEqual({ kind: 'request', delivery: { headers, body: Buffer.from(body) } });
  });
  fc.assert(property);
});
