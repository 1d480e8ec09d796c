import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Delivery, type RejectionReason, readEvent } from '../../../src/events/webhooks/delivery.js';
import { signDelivery } from '../../../src/events/webhooks/signing.js';
import { verify, type Rules } from '../../../src/events/webhooks/verification.js';
import { BODY, RULES, SECRET, STAMP, VECTOR, delivery, firma, hex } from './samples.js';

const outcome = (given: Delivery, rules: Partial<Rules> = {}): 'accepted' | RejectionReason => {
  const verdict = verify(given, { ...RULES, ...rules });
  return verdict.accepted ? 'accepted' : verdict.reason;
};
const NONE: readonly string[] = [];
const OTHER = 'whsec_another_9876543210';
const right = firma(BODY);
const wrong = firma(BODY, STAMP, OTHER);
const digest = Buffer.from(right.slice(3), 'hex');
const text = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const EVENT = JSON.parse(VECTOR.body) as Record<string, unknown>;

it('knows the published vector', () => {
  const given = delivery(VECTOR.body, VECTOR.signature, String(VECTOR.timestamp));
  const verdict = verify(given, RULES);
  expect(verdict).toMatchObject({ accepted: true, event: EVENT });
  expect(verdict.accepted && Buffer.from(verdict.body).equals(BODY)).toBe(true);
});

describe('signatures', () => {
  const SIGNATURES: Readonly<Record<string, string>> = {
    ...{ R: right, W: wrong, U: `v1=${right.slice(3).toUpperCase()}`, V: right.replace('v1', 'V1') },
    ...{ X: right.replace('v1', 'v2'), D: right.slice(3), S: right.slice(0, -1) },
    B: `v1=${digest.toString('base64')}`,
  };
  const written = (form: string): string => form.replace(/[A-Z]/g, (letter) => SIGNATURES[letter]!);

  it.each(['R', 'R W', 'W R', 'W  R', ' R', 'R ', 'U', 'X R', 'W W W W W W W R'])('%j is right', (form) => {
    expect(outcome(delivery(BODY, written(form)))).toBe('accepted');
  });

  it.each([
    ...['R,W', 'R, W', 'R\tW', 'R\n', 'V', 'X', 'D', 'v1=', right.slice(0, 5), 'S', 'R00', 'Sz', 'R S'],
    ...['R junk', 'B', '', '   ', 'W W W W W W W W R', 'v2=00 '.repeat(9).trim()],
  ])('%j is malformed', (form) => expect(outcome(delivery(BODY, written(form)))).toBe('signature_malformed'));

  it.each<[string, string | readonly string[], 'accepted' | RejectionReason]>([
    ['both wrong', `${wrong} ${wrong}`, 'signature_mismatch'],
    ['none', NONE, 'signature_missing'],
    ['two headers', [right, right], 'signature_duplicated'],
    ['two headers, one wrong', [wrong, right], 'signature_duplicated'],
    ['joined headers', [`${wrong}, ${right}`], 'signature_malformed'],
    ['1,000 signatures', Array<string>(1000).fill(right).join(' '), 'signature_malformed'],
    ['1,024 bytes', right.padEnd(1024, ' '), 'accepted'],
    ['1,025 bytes', right.padEnd(1025, ' '), 'signature_malformed'],
    ['1,024 characters of more bytes', `${right} x=${'é'.repeat(1024 - 70)}`, 'signature_malformed'],
  ])('%s', (_name, signature, expected) => expect(outcome(delivery(BODY, signature))).toBe(expected));

  it('counts signatures of other versions too', () => {
    const many = [...Array<string>(8).fill('v2=00'), right].join(' ');
    expect(outcome(delivery(BODY, many))).toBe('signature_malformed');
  });
});

describe('timestamps, each of them validly signed', () => {
  it.each([
    ...[`${STAMP}000`, `0${STAMP}`, '00', `+${STAMP}`, `${STAMP}.0`, `-${STAMP}`, '179e7', '0x6ab1ee80'],
    ...[`${STAMP}abc`, `${STAMP} `, ` ${STAMP}`, `${STAMP}\n`, '2026-09-21T14:13:20Z', '١٧٩٠٠٠٠٠٠٠', ''],
    '9999999999999',
  ])('%j is malformed', (stamp) => {
    expect(outcome(delivery(BODY, firma(BODY, stamp), stamp))).toBe('timestamp_malformed');
  });

  it.each<[string, string | readonly string[], 'accepted' | RejectionReason]>([
    ['seconds', STAMP, 'accepted'],
    ['12 digits', '999999999999', 'timestamp_outside_tolerance'],
    ['zero', '0', 'timestamp_outside_tolerance'],
    ['none', NONE, 'timestamp_missing'],
    ['two headers', [STAMP, STAMP], 'timestamp_duplicated'],
  ])('%s', (_name, timestamp, expected) => {
    const [stamp = ''] = [timestamp].flat();
    expect(outcome(delivery(BODY, firma(BODY, stamp), timestamp))).toBe(expected);
  });

  it('zero is a time like any other', () => {
    expect(outcome(delivery(BODY, firma(BODY, '0'), '0'), { nowMs: 299_000 })).toBe('accepted');
  });

  it.each<[number, 'accepted' | RejectionReason]>([
    [-301, 'timestamp_outside_tolerance'],
    [-300, 'accepted'],
    [0, 'accepted'],
    [300, 'accepted'],
    [301, 'timestamp_outside_tolerance'],
  ])('%i s from the clock', (seconds, expected) => {
    const stamp = String(VECTOR.timestamp + seconds);
    expect(outcome(delivery(BODY, firma(BODY, stamp), stamp))).toBe(expected);
  });

  it.each([
    [7199, '7199 s'],
    [7200, '2 h'],
    [5_452_281, '63 days'],
  ])('says %i s as %s', (seconds, said) => {
    const verdict = verify(delivery(BODY), { ...RULES, nowMs: RULES.nowMs + seconds * 1000 });
    const message = expect.stringContaining(` is ${said} behind the clock`) as string;
    expect(verdict).toMatchObject({ message });
  });

  it('counts whole seconds', () => {
    expect(outcome(delivery(BODY), { nowMs: RULES.nowMs + 300_999 })).toBe('accepted');
    expect(outcome(delivery(BODY), { nowMs: RULES.nowMs + 301_000 })).toBe('timestamp_outside_tolerance');
  });

  it.each([
    [1, 0, 'timestamp_outside_tolerance'],
    [900, 900, 'accepted'],
  ])('%i s from the clock, with a tolerance of %i', (seconds, toleranceSeconds, expected) => {
    expect(outcome(delivery(BODY), { nowMs: RULES.nowMs + seconds * 1000, toleranceSeconds })).toBe(expected);
  });

  it('moved inside the window, or signed without the dot', () => {
    expect(outcome(delivery(BODY, right, String(VECTOR.timestamp + 10)))).toBe('signature_mismatch');
    expect(outcome(delivery(BODY, `v1=${hex(SECRET, STAMP, BODY)}`))).toBe('signature_mismatch');
  });

  it('judges the signature before the clock', () => {
    expect(outcome(delivery(BODY, wrong), { nowMs: 0 })).toBe('signature_mismatch');
  });
});

describe('secrets', () => {
  it.each<[string, readonly string[], 'accepted' | RejectionReason]>([
    ['another one', [OTHER], 'signature_mismatch'],
    ['the new and the old one', [OTHER, SECRET], 'accepted'],
    ['the old and the new one', [SECRET, OTHER], 'accepted'],
    ['two others', [OTHER, 'x'], 'signature_mismatch'],
  ])('%s', (_name, secrets, expected) => expect(outcome(delivery(BODY), { secrets })).toBe(expected));

  const bad = [[[]], [['']], [[SECRET, '']], [[`${SECRET}\n`]], [[` ${SECRET}`]], [[SECRET, OTHER, 'x']]];
  it.each(bad)('refuses %j, whatever is signed with it', (secrets) => {
    const signed = delivery(BODY, secrets.map((secret) => firma(BODY, STAMP, secret)).join(' '));
    expect(() => verify(signed, { ...RULES, secrets })).toThrow(RangeError);
    expect(() => signDelivery(BODY, { id: 'i', type: 't' }, secrets, 1)).toThrow(RangeError);
  });
});

describe('bodies, signed as something else', () => {
  it.each<[string, Buffer]>([
    ['a newline behind', Buffer.from(`${VECTOR.body}\n`)],
    ['CRLF behind', Buffer.from(`${VECTOR.body}\r\n`)],
    ['a byte order mark', Buffer.from(`\uFEFF${VECTOR.body}`)],
    ['re-serialised', Buffer.from(JSON.stringify(EVENT, null, 1))],
    ['empty', Buffer.alloc(0)],
    ['one bit', Buffer.from(BODY.map((byte, index) => (index === 300 ? byte ^ 1 : byte)))],
  ])('%s', (_name, body) => expect(outcome(delivery(body, right))).toBe('signature_mismatch'));
});

describe('authentic bodies', () => {
  it.each<[string, Uint8Array, 'accepted' | RejectionReason]>([
    ['with a newline behind', Buffer.from(`${VECTOR.body}\n`), 'accepted'],
    ['with CRLF behind', Buffer.from(`${VECTOR.body}\r\n`), 'accepted'],
    ['indented', Buffer.from(JSON.stringify(EVENT, null, 2)), 'accepted'],
    ['of an unknown type', text({ ...EVENT, type: 'refund.created' }), 'accepted'],
    ['with unknown members', text({ ...EVENT, more: [1] }), 'accepted'],
    ['test.ping', text({ ...EVENT, type: 'test.ping', data: { status: 'pending' } }), 'accepted'],
    ['with a byte order mark', Buffer.from(`\uFEFF${VECTOR.body}`), 'not_an_event'],
    ['of invalid UTF-8', Buffer.from(VECTOR.body.replace('VES', 'V\xff'), 'latin1'), 'not_an_event'],
    ['empty', Buffer.alloc(0), 'not_an_event'],
    ['no JSON', Buffer.from('hello'), 'not_an_event'],
    ['cut off', BODY.subarray(0, -1), 'not_an_event'],
    ['deeper than any stack', Buffer.from('['.repeat(200_000)), 'not_an_event'],
    ['of 1 MiB', Buffer.from(VECTOR.body.padEnd(1024 * 1024, ' ')), 'accepted'],
    ['of 1 MiB and a byte', Buffer.from(VECTOR.body.padEnd(1024 * 1024 + 1, ' ')), 'body_too_large'],
  ])('%s', (_name, body, expected) => expect(outcome(delivery(body))).toBe(expected));

  it.each([
    ...[null, [EVENT], 'event', {}, { ...EVENT, id: undefined }, { ...EVENT, id: '' }, { ...EVENT, id: 1 }],
    ...[
      { ...EVENT, type: undefined },
      { ...EVENT, occurred_at: null },
      { ...EVENT, data: undefined },
    ],
    { ...EVENT, data: [] },
  ])('that are no event: %o', (value) => expect(outcome(delivery(text(value)))).toBe('not_an_event'));
});

describe('other headers', () => {
  const id = EVENT['id'] as string;
  it.each<[string, headers: readonly string[], 'accepted' | RejectionReason]>([
    ['the same', ['X-Evento: payout.confirmed', `X-Id-Evento: ${id}`], 'accepted'],
    ['in another case', ['x-evento: payout.confirmed', `X-ID-EVENTO: ${id}`], 'accepted'],
    ['another type', ['X-Evento: payout.failed'], 'type_differs'],
    ['an empty type', ['X-Evento: '], 'type_differs'],
    ['another id', [`X-Id-Evento: ${id.replace('0', '1')}`], 'id_differs'],
    ['an id in capitals', [`X-Id-Evento: ${id.toUpperCase()}`], 'id_differs'],
    ['two ids, one of them another', [`X-Id-Evento: ${id}`, 'X-Id-Evento: x'], 'id_differs'],
    ['gzip', ['Content-Encoding: gzip'], 'encoding_unsupported'],
    ['identity and br', ['Content-Encoding: identity', 'content-encoding: br'], 'encoding_unsupported'],
    ['identity', ['Content-Encoding: Identity'], 'accepted'],
    ['no encoding', ['Content-Encoding: '], 'accepted'],
  ])('%s', (_name, lines, expected) => {
    const headers = lines.map((line) => line.split(': ') as [string, string]);
    expect(outcome(delivery(BODY, right, STAMP, ...headers))).toBe(expected);
  });

  it('compares bytes where the body is not ASCII', () => {
    const body = text({ ...EVENT, type: 'prueba.ñ' });
    const asReceived = Buffer.from('prueba.ñ').toString('latin1');
    expect(outcome(delivery(body, firma(body), STAMP, ['X-Evento', asReceived]))).toBe('accepted');
    expect(outcome(delivery(body, firma(body), STAMP, ['X-Evento', 'prueba.n']))).toBe('type_differs');
    expect(outcome(delivery(BODY, right, STAMP, ['X-Evento', 'payout.confirme\u0164']))).toBe('type_differs');
  });
});

it('accepts whatever was signed here, byte for byte', () => {
  const word = fc.stringMatching(/^[\x21-\x7e]{1,40}$/);
  const given = fc.record({
    event: fc.record({
      ...{ id: word, type: word, occurred_at: fc.string({ minLength: 1 }) },
      data: fc.dictionary(fc.string(), fc.jsonValue()),
    }),
    space: fc.constantFrom('', ' ', '\n', '\r\n', '\t \n'),
    secrets: fc.uniqueArray(fc.stringMatching(/^[^\s\p{C}]{1,40}$/u), { minLength: 1, maxLength: 2 }),
    seconds: fc.nat(999_999_999_999),
    skew: fc.integer({ min: -300, max: 300 }),
  });
  const property = fc.property(given, ({ event, space, secrets, seconds, skew }) => {
    const body = Buffer.from(`${space}${JSON.stringify(event)}${space}`);
    const read = readEvent(body);
    if ('problem' in read) throw new Error(read.problem);
    const headers = Object.entries(signDelivery(body, read.event, secrets, seconds));
    const nowMs = Math.max(0, seconds + skew) * 1000;
    for (const secret of secrets) {
      const verdict = verify({ body, headers }, { secrets: [secret], nowMs });
      expect(verdict).toEqual({ accepted: true, event: read.event, body });
    }
  });
  fc.assert(property, { numRuns: 300 });
});

it.each([['a\nb'], ['a\u0000'], [' a'], ['a\t']])('signs no type that a header would change: %j', (type) => {
  expect(() => signDelivery(BODY, { id: 'x', type }, [SECRET], 1)).toThrow(RangeError);
});
