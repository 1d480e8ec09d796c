import fc from 'fast-check';
import { expect, it } from 'vitest';
import { valuesOf } from '../../../src/events/webhooks/delivery.js';
import { readMessage } from '../../../src/events/webhooks/http-message.js';
import { verify, type Rules } from '../../../src/events/webhooks/verification.js';
import { BODY, RULES, STAMP, VECTOR, firma } from './samples.js';
import { rounds } from '../../support/rounds.js';

const RUNS = Number(process.env['SVC_MUTATIONS'] ?? rounds(100_000));

const OLD = 'whsec_old_0123456789';
const rules: Rules = { ...RULES, secrets: [VECTOR.secret, OLD] };
const HEADERS = [
  'POST /hooks HTTP/1.1',
  'Content-Type: application/json',
  `X-Firma: ${VECTOR.signature} ${firma(BODY, STAMP, OLD)}`,
  `X-Timestamp: ${STAMP}`,
  'X-Evento: payout.confirmed',
  'X-Id-Evento: 0c9d1b2e-7f3a-4b8c-9d0e-1f2a3b4c5d6e',
];
const HEAD = Buffer.from([...HEADERS, '', ''].join('\r\n'));
const REQUEST = Buffer.concat([HEAD, BODY]);

type Mutation = (bytes: Buffer) => Buffer;
const place = fc.nat();
const inRange = (at: number, { length }: Buffer, from = 0): number =>
  from + (at % Math.max(1, length - from));

const flip = (from: number, to: number) =>
  fc.tuple(place, fc.nat(7)).map(([at, bit]): Mutation => (bytes) => {
    const copy = Buffer.from(bytes);
    const index = Math.min(inRange(at, bytes.subarray(0, to), from), copy.length - 1);
    copy[index] = (copy[index] ?? 0) ^ (1 << bit);
    return copy;
  });
const cut = fc.tuple(place, fc.integer({ min: 1, max: 80 })).map(([at, length]): Mutation => (bytes) => {
  const start = inRange(at, bytes);
  return Buffer.concat([bytes.subarray(0, start), bytes.subarray(start + length)]);
});
const INSERTED = [
  ...[' ', '\t', '\n', '\r\n', ',', '0', 'v1=', '\0', '\xff'],
  ...['\r\nX-Timestamp: 1', `\r\nX-Timestamp: ${STAMP}`],
];
const insert = fc.tuple(place, fc.constantFrom(...INSERTED)).map(([at, text]): Mutation => (bytes) => {
  const start = inRange(at, bytes);
  return Buffer.concat([bytes.subarray(0, start), Buffer.from(text, 'latin1'), bytes.subarray(start)]);
});
const digits = VECTOR.signature.slice(3);
const FROM = [STAMP, digits, ...'v1= payout.confirmed 1500.50 confirmed X-Firma HTTP/1.1'.split(' ')];
const TO = ['', '0', 'f'.repeat(64), digits.toUpperCase(), 'v2=', 'payout.failed', '9500.50', 'x-firma'];
const time = fc.integer({ min: -400, max: 400 }).map((seconds) => String(VECTOR.timestamp + seconds));
const replace = fc
  .tuple(fc.constantFrom(...FROM), fc.oneof(time, fc.constantFrom(...TO), fc.string()))
  .map(([from, to]): Mutation => (bytes) => {
    const text = bytes.toString('latin1').replace(from, () => to);
    return Buffer.from(text, 'latin1');
  });
const repeatLine = fc.nat(HEADERS.length - 1).map((at): Mutation => (bytes) => {
  const line = Buffer.from(`${HEADERS[at] ?? ''}\r\n`);
  const end = bytes.indexOf('\r\n') + 2;
  return Buffer.concat([bytes.subarray(0, end), line, bytes.subarray(end)]);
});
const firmaAt = HEAD.indexOf('X-Firma');
const flips = [
  flip(0, HEAD.length),
  flip(firmaAt, HEAD.indexOf('X-Evento')),
  flip(HEAD.length, REQUEST.length),
];
const mutation = fc.oneof(...flips, cut, insert, replace, repeatLine);

it(`accepts none of ${RUNS} mutations for anything that was not signed`, () => {
  const seen = new Map<string, number>();
  const count = (what: string): void => void seen.set(what, (seen.get(what) ?? 0) + 1);
  fc.assert(
    fc.property(fc.array(mutation, { minLength: 1, maxLength: 3 }), (mutations) => {
      const bytes = mutations.reduce<Buffer>((before, mutate) => mutate(before), REQUEST);
      const message = readMessage(bytes);
      if (message.kind === 'malformed') {
        count('malformed');
        return;
      }
      const { delivery } = message;
      const verdict = verify(delivery, rules);
      count(verdict.accepted ? 'accepted' : verdict.reason);
      if (!verdict.accepted) return;
      expect(Buffer.from(delivery.body).equals(BODY)).toBe(true);
      expect(valuesOf(delivery.headers, 'X-Timestamp')).toEqual([STAMP]);
      const [signature = '', ...others] = valuesOf(delivery.headers, 'X-Firma');
      expect(others).toEqual([]);
      const right = rules.secrets.map((secret) => firma(BODY, STAMP, secret));
      expect(right.some((one) => signature.toLowerCase().includes(one))).toBe(true);
    }),
    { numRuns: RUNS },
  );
  // Some mutations change nothing that is signed, so they are accepted. Every check rejects at least one mutation.
  for (const reached of [
    ...['accepted', 'malformed', 'signature_mismatch', 'signature_malformed', 'signature_missing'],
    ...['signature_duplicated', 'timestamp_malformed', 'timestamp_missing', 'timestamp_duplicated'],
    ...['type_differs', 'id_differs'],
  ]) {
    expect(seen.get(reached) ?? 0, reached).toBeGreaterThan(0);
  }
});
