import fc from 'fast-check';
import { deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Delivery } from '../../../src/events/webhooks/delivery.js';
import { explain } from '../../../src/events/webhooks/explanation.js';
import type { CauseCode, OtherSecret } from '../../../src/events/webhooks/suspects.js';
import { verify, type Rules } from '../../../src/events/webhooks/verification.js';
import { BODY, RULES, SECRET, STAMP, VECTOR, delivery, firma, hex } from './samples.js';

type Given = readonly [given: Delivery, others?: readonly OtherSecret[], rules?: Rules];

function causes(...[given, others = [], rules = RULES]: Given) {
  const verdict = verify(given, rules);
  return verdict.accepted ? null : explain(given, rules, verdict, others);
}
const codes = (...given: Given): CauseCode[] | string =>
  causes(...given)?.map(({ code }) => code) ?? 'accepted';
const texts = (...given: Given): string => (causes(...given) ?? []).map(({ text }) => text).join('; ');

const PRETTY = JSON.stringify(JSON.parse(VECTOR.body), null, 2);
const right = firma(BODY);
const base64 = Buffer.from(right.slice(3), 'hex').toString('base64');
const forUrls = base64.replaceAll('+', '-').replaceAll('/', '_').replace('=', '');
const spaced = (json: string): string =>
  json.replace(/"(?:[^"\\]|\\.)*"|[,:]/g, (token) => (/^[,:]$/.test(token) ? `${token} ` : token));
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort();
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]));
};
const accents = VECTOR.body.replace('VES', 'Peña/año<>');
const escapeOf = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
const ascii = accents.replace(/[^\x20-\x7e]/g, escapeOf);

describe('the body', () => {
  const B = VECTOR.body;
  const AGAIN = 'json_reserialised';
  const MARKED = `\uFEFF${B}`;
  const ordered = JSON.stringify(sorted(JSON.parse(B)));
  const indented = (by: number | string): string => JSON.stringify(JSON.parse(B), null, by);
  const chunk = `${BODY.length.toString(16)}\r\n${B}\r\n0\r\n\r\n`;
  const chunks = `1;x=y\r\n{\r\n${(BODY.length - 1).toString(16)}\r\n${B.slice(1)}\r\n0\r\n\r\n`;
  const crlf = (text: string): string => text.replaceAll('\n', '\r\n');
  const escaped = accents.replace('<>', '\\u003c\\u003e');
  const latin1 = Buffer.from(accents, 'latin1');
  const misread = Buffer.from(accents).toString('latin1');
  it.each<[string, signed: string | Buffer, arrived: string | Buffer, CauseCode, RegExp]>([
    ['a newline was added', B, `${B}\n`, 'trailing_newline', /trailing newline/],
    ['CRLF was added', B, `${B}\r\n`, 'trailing_newline', /trailing newline/],
    ['gzip was left on', B, gzipSync(B), 'body_compressed', /compressed/],
    ['deflate was left on', B, deflateSync(B), 'body_compressed', /compressed/],
    ['gzip was left on a body in pretty JSON', PRETTY, gzipSync(PRETTY), 'body_compressed', /decompress/],
    ['several newlines were added', B, `${B}\n\n\n`, 'trailing_newline', /not echo/],
    ['one of two newlines was lost', `${B}\n\n`, `${B}\n`, 'newline_missing', /trimmed/],
    ['a newline was lost', `${B}\n`, B, 'newline_missing', /newline/],
    ['CRLF was lost', `${B}\r\n`, B, 'newline_missing', /newline/],
    ['LF became CRLF', PRETTY, crlf(PRETTY), 'line_ends', /CRLF/],
    ['CRLF became LF', crlf(PRETTY), PRETTY, 'line_ends', /CRLF/],
    ['LF became CRLF, one more at the end', PRETTY, crlf(`${PRETTY}\n`), 'line_ends', /CRLF/],
    ['white space was added', B, `  ${B} `, 'surrounding_space', /white space/],
    ['a byte order mark was added', B, MARKED, 'byte_order_mark', /byte order mark/],
    ['a byte order mark was lost', MARKED, B, 'byte_order_mark', /byte order mark/],
    ['compact became indented', B, PRETTY, AGAIN, /wrote the JSON again \(signed: compact/],
    ['indented became compact', PRETTY, B, AGAIN, /indented by 2/],
    ['indented by 4 became compact', indented(4), B, AGAIN, /by 4/],
    ['indented by tabs became compact', indented('\t'), B, AGAIN, /tabs/],
    ['indented with a newline became compact', `${PRETTY}\n`, B, AGAIN, /by 2/],
    ['compact became spaced', B, spaced(B), AGAIN, /compact/],
    ['spaced became compact', spaced(B), B, AGAIN, /spaced/],
    ['spaced became compact with a newline', spaced(B), `${B}\n`, AGAIN, /spaced/],
    ['the members were sorted', B, ordered, AGAIN, /order/],
    ['the members had been sorted', ordered, B, AGAIN, /sorted/],
    ['letters were escaped', accents, ascii, AGAIN, /nothing escaped/],
    ['letters had been escaped', ascii, accents, AGAIN, /non-ASCII/],
    ['slashes had been escaped', accents.replace('/', '\\/'), accents, AGAIN, /slashes/],
    ['signs had been escaped', escaped, accents, AGAIN, /< and >|<, >/],
    ['it was put into a JSON string', B, JSON.stringify(B), 'json_quoted', /JSON string/],
    ['it is base64', B, BODY.toString('base64'), 'body_base64', /base64/],
    ['it is chunked', B, chunk, 'body_chunked', /chunk/],
    ['it is in two chunks', B, chunks, 'body_chunked', /chunk/],
    ['UTF-8 was read as Latin-1', accents, misread, 'text_encoding', /encoding/],
    ['Latin-1 was sent as it is', accents, latin1, 'text_encoding', /encoding/],
  ])('%s', (_name, signed, arrived, code, text) => {
    const given = delivery(arrived, firma(signed));
    expect(codes(given)).toEqual([code]);
    expect(texts(given)).toMatch(text);
  });

  it('keeps numbers as they are written', () => {
    const signed = VECTOR.body.replace('"1500.50"', '1500.50');
    const big = signed.replace('null', '123456789012345678901234567890');
    expect(codes(delivery(spaced(big), firma(big)))).toEqual(['json_reserialised']);
  });
});

describe('the key', () => {
  const live = { secret: 'whsec_live_abc', name: "the other environment's secret (live)" };
  it('is another one', () => {
    const given = delivery(BODY, firma(BODY, STAMP, live.secret));
    expect(codes(given, [live])).toEqual(['other_secret']);
    expect(texts(given, [live])).toBe(`it is signed with ${live.name}`);
    expect(codes(given)).toEqual([]);
  });

  it.each<[string, string, string | Buffer, CauseCode]>([
    ['a newline behind it', SECRET, `${SECRET}\n`, 'secret_newline'],
    ['without its prefix', SECRET, SECRET.slice(6), 'secret_prefix'],
    ['decoded from hex', 'whsec_00ff10', Buffer.from('00ff10', 'hex'), 'secret_decoded'],
    ['decoded from base64', 'whsec_AP8QAAEC', Buffer.from('AP8QAAEC', 'base64'), 'secret_decoded'],
    ['in double quotes here', `"${SECRET}"`, SECRET, 'secret_quoted'],
    ['in quotes of a letter here', `“${SECRET}”`, SECRET, 'secret_quoted'],
    ['in single quotes here', `'${SECRET}'`, SECRET, 'secret_quoted'],
    ['half in quotes here, of two in one variable', `"${SECRET}`, SECRET, 'secret_quoted'],
    ['a live API key here', 'svc_live_0123456789abcdef', SECRET, 'secret_is_key'],
    ['an API key in quotes here', '"svc_test_0123456789abcdef"', SECRET, 'secret_is_key'],
  ])('%s', (_name, secret, key, code) => {
    const given = delivery(BODY, `v1=${hex(key, STAMP, '.', BODY)}`);
    expect(codes(given, [], { ...RULES, secrets: [secret] })).toEqual([code]);
  });
});

describe('what is signed', () => {
  it.each<[string, readonly (string | Buffer)[], CauseCode, RegExp]>([
    ['no dot', [STAMP, BODY], 'missing_dot', /dot is missing/],
    ['the body alone', [BODY], 'timestamp_unsigned', /without the timestamp/],
    ['milliseconds', [`${STAMP}000`, '.', BODY], 'timestamp_milliseconds', /milliseconds/],
  ])('%s', (_name, parts, code, text) => {
    const given = delivery(BODY, `v1=${hex(SECRET, ...parts)}`);
    expect(codes(given)).toEqual([code]);
    expect(texts(given)).toMatch(text);
  });
});

describe('the signature as written', () => {
  it.each<[string, string, CauseCode[], RegExp]>([
    ['base64', `v1=${base64}`, ['signature_base64'], /base64 instead of hex/],
    ['base64 without a prefix', base64, ['signature_base64'], /base64/],
    ['base64 for URLs', `v1=${forUrls}`, ['signature_base64'], /base64/],
    ['no prefix', right.slice(3), ['signature_prefix'], /v1=/],
    ['another prefix', right.replace('v1', 'sha256'), ['signature_prefix'], /v1=/],
    ['an upper-case prefix', right.replace('v1', 'V1'), ['signature_prefix'], /v1=/],
    ['a comma', `${firma('x')},${right}`, ['signature_separator'], /comma/],
    ['quotes', `"${right}"`, ['signature_shape'], /quotes/],
  ])('%s', (_name, signature, expected, text) => {
    expect(codes(delivery(BODY, signature))).toEqual(expected);
    expect(texts(delivery(BODY, signature))).toMatch(text);
  });

  it('is in another header', () => {
    const given = delivery(BODY, firma('x'), STAMP, ['X-Hub-Signature', `sha256=${right.slice(3)}`]);
    expect(codes(given)).toEqual(['signature_elsewhere']);
    expect(texts(given)).toContain('X-Hub-Signature');
  });

  it('another key, and a newline too', () => {
    const other = { secret: 'whsec_live_abc', name: 'another' };
    const given = delivery(`${VECTOR.body}\n`, firma(BODY, STAMP, other.secret));
    expect(codes(given, [other])).toEqual(['other_secret', 'trailing_newline']);
  });

  it('two things at once', () => {
    const given = delivery(`${VECTOR.body}\n`, `v1=${base64}`);
    expect(codes(given)).toEqual(['trailing_newline', 'signature_base64']);
  });
});

describe('the time', () => {
  it.each<[string, string, RegExp]>([
    ['milliseconds', `${STAMP}000`, /milliseconds/],
    ['a leading zero', `0${STAMP}`, /leading zero/],
    ['a date', '2026-09-21T14:13:20Z', /a date/],
    ['a space', `${STAMP} `, /space/],
    ['a sign', `+${STAMP}`, /sign/],
    ['junk', `${STAMP}s`, /digits/],
    ['nothing', '', /empty/],
  ])('signed as %s', (_name, stamp, text) => {
    expect(texts(delivery(BODY, firma(BODY, stamp), stamp))).toMatch(text);
  });

  it.each([
    ...[`${STAMP}000`, `${STAMP}123`, `0${STAMP}`, '2026-09-21T14:13:20Z', ` ${STAMP}`, `${STAMP}.5`],
  ])('signed in seconds and written as %j', (stamp) => {
    const code = /^\d{13}$/.test(stamp) ? 'timestamp_milliseconds' : 'timestamp_shape';
    expect(codes(delivery(BODY, right, stamp))).toEqual([code]);
  });

  it('signed from another header', () => {
    const given = delivery(BODY, firma(BODY, '1789990000'), STAMP, ['X-Sent-At', '1789990000']);
    expect(codes(given)).toEqual(['timestamp_elsewhere']);
    expect(texts(given)).toContain('X-Sent-At');
  });

  it.each([-3600, -200, -1, 1, 299, 3600])('moved by %i s', (seconds) => {
    const given = delivery(BODY, right, String(VECTOR.timestamp + seconds));
    expect(codes(given)).toEqual(['timestamp_moved']);
    expect(texts(given)).toContain(STAMP);
  });

  it('moved far from when the event occurred', () => {
    const occurred = String(Date.parse('2026-09-23T15:04:05Z') / 1000 + 3);
    expect(codes(delivery(BODY, firma(BODY, occurred), STAMP))).toEqual(['timestamp_moved']);
  });

  it.each<[number, RegExp]>([
    [-301, /clock skew.* 301 s behind/],
    [301, /clock skew.* 301 s old.*--at 1790000000/],
  ])('outside the tolerance by the clock (%i s)', (seconds, text) => {
    const rules = { ...RULES, nowMs: RULES.nowMs + seconds * 1000 };
    expect(codes(delivery(BODY), [], rules)).toEqual(['clock_skew']);
    expect(texts(delivery(BODY), [], rules)).toMatch(text);
  });
});

describe('nothing is claimed', () => {
  it.each<[string, Delivery]>([
    ['for another body', delivery(VECTOR.body.replace('1500.50', '9500.50'), right)],
    ['for a signature of nobody', delivery(BODY, `v1=${'0'.repeat(64)}`)],
    ['for what is no signature', delivery(BODY, 'hello')],
    ['for an authentic body that is no event', delivery('hello')],
    ['for a type that differs', delivery(BODY, right, STAMP, ['X-Evento', 'x'])],
    ['for a header that is missing', delivery(BODY, right, [])],
    ['for a deep body', delivery('['.repeat(100_000) + ']'.repeat(100_000), right)],
  ])('%s', (_name, given) => expect(codes(given)).toEqual([]));

  it('where three things differ', () => {
    const given = delivery(`${VECTOR.body}\n`, `v1=${hex(`${SECRET}\n`, STAMP, BODY)}`);
    expect(codes(given)).toEqual([]);
  });
});

it('ends soon for a body of 1 MiB, and names no secret', () => {
  const big = VECTOR.body.replace('1500.50', 'x'.repeat(1024 * 1024 - BODY.length));
  expect(codes(delivery(big, firma('x')))).toEqual([]);
  expect(codes(delivery(`${big}\n`.slice(0, 1024 * 1024), firma(big)))).toEqual(['trailing_newline']);
}, 180_000);

it('survives any body and any headers', () => {
  const secret = 'whsec_canary_0123456789';
  const header = fc.tuple(fc.constantFrom('X-Firma', 'X-Timestamp', 'X-Other'), fc.string());
  const signature = [['X-Firma', firma('other')] as const, ['X-Timestamp', STAMP] as const];
  const [bodies, extras] = [fc.uint8Array({ maxLength: 200 }), fc.array(header, { maxLength: 4 })];
  const property = fc.property(bodies, extras, fc.boolean(), (body, extra, signs) => {
    const headers = [...extra, ...(signs ? signature : [])];
    const said = texts({ body, headers }, [{ secret, name: 'another' }], { ...RULES, secrets: [secret] });
    expect(said).not.toContain(secret);
  });
  fc.assert(property, { numRuns: 40 });
});
