/** Which bytes are a body: one JSON object in UTF-8, at most 1 MiB, no name twice. */
import { describe, expect, it } from 'vitest';
import {
  BODY_MAX_BYTES,
  rawMember,
  readObject,
  readOptionalObject,
  refuseBody,
} from '../../../src/sandbox/http/call.js';

/** A sentence for the log. */
const why = expect.stringMatching(/^[A-Z].*\.$/) as string;

const bytes = (text: string): Buffer => Buffer.from(text);

describe('a body that cannot be read', () => {
  it.each<[string, Uint8Array]>([
    ['nothing', bytes('')],
    ['white space', bytes(' \n')],
    ['null', bytes('null')],
    ['an array', bytes('[{}]')],
    ['a string', bytes('"{}"')],
    ['a number', bytes('1')],
    ['truncated', bytes('{"a":1')],
    ['followed by more', bytes('{} {}')],
    ['with a trailing comma', bytes('{"a":1,}')],
    ['with a byte order mark', Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes('{}')])],
    ['UTF-16', Buffer.from('{}', 'utf16le')],
    ['invalid UTF-8', Buffer.concat([bytes('{"a":"'), Buffer.from([0xff]), bytes('"}')])],
    ['an overlong encoding', Buffer.concat([bytes('{"a":"'), Buffer.from([0xc0, 0xaf]), bytes('"}')])],
    ['a surrogate in UTF-8', Buffer.concat([bytes('{"a":"'), Buffer.from([0xed, 0xa0, 0x80]), bytes('"}')])],
    ['gzip', Buffer.from('1f8b08000000000000ffabae050043bfa6a302000000', 'hex')],
    ['a name twice', bytes('{"a":1,"a":1}')],
    ['100,000 levels', bytes(`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)],
  ])('%s', (_, body) => {
    expect(readObject(body)).toEqual({ refusal: 'body_invalid', why });
  });

  it('is 413 beyond 1 MiB, and read at exactly 1 MiB', () => {
    const frame = '{"a":""}'.length;
    const sized = (size: number): Buffer => bytes(`{"a":"${'x'.repeat(size - frame)}"}`);
    expect(readObject(sized(BODY_MAX_BYTES + 1))).toEqual({ refusal: 'body_invalid', status: 413, why });
    expect(readObject(sized(BODY_MAX_BYTES))).toHaveProperty('fields');
  });
});

describe('a body', () => {
  it('leaves prototypes alone', () => {
    const body = readObject(bytes('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'));
    expect('fields' in body && Object.keys(body.fields)).toEqual(['__proto__', 'constructor']);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it('has its members as they were sent', () => {
    const body = bytes('{"a":1,"metadata" :\n{ "n": 1.10, "s": "\\u00e9" } ,"z":0}');
    expect(Buffer.from(rawMember(body, 'metadata')!).toString()).toBe('{ "n": 1.10, "s": "\\u00e9" }');
    expect(rawMember(body, 'other')).toBeNull();
  });
});

describe('a POST without a body', () => {
  it.each(['', ' ', 'null', ' null\n', '{}', '{ }'])('takes %j', (text) => {
    expect(refuseBody(bytes(text))).toBeNull();
    expect(readOptionalObject(bytes(text))).toEqual({ fields: {}, canonical: '{}' });
  });

  it.each(['[]', '0', 'false', '""', 'nul', '{'])('does not take %j', (text) => {
    expect(refuseBody(bytes(text))).toEqual({ refusal: 'body_invalid', why });
  });

  it('names what it does not know', () => {
    const details = [{ field: 'reason', code: 'unknown' }];
    expect(refuseBody(bytes('{"reason":1}'))).toEqual({ refusal: 'field_invalid', details });
  });
});
