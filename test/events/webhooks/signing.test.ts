import { expect, it } from 'vitest';
import { readSecrets, requireSecrets } from '../../../src/events/webhooks/signing.js';

it.each([
  ['whsec_a', ['whsec_a']],
  ['whsec_a\n', ['whsec_a']],
  [' \twhsec_a\r\n\r\n', ['whsec_a']],
  ['whsec_a whsec_b', ['whsec_a', 'whsec_b']],
  ['whsec_a\nwhsec_b\n', ['whsec_a', 'whsec_b']],
  ['\uFEFFwhsec_a', ['whsec_a']],
  ['ñandú', ['ñandú']],
])('%j', (text, secrets) => expect(readSecrets(text)).toEqual({ secrets }));

it.each([
  ['', /no secret/],
  [' \n\t', /no secret/],
  ['a b c', /3 secrets/],
  ['a\0b', /not text/],
  [Buffer.from([0x61, 0xff]).toString(), /not text/],
])('%j is refused, without its text', (text, problem) => {
  expect(readSecrets(text)).toEqual({ problem: expect.stringMatching(problem) as string });
});

it.each([
  ['none', []],
  ['an empty one', ['']],
  ['an empty one beside another', ['whsec_a', '']],
  ['one with a space', ['whsec a']],
  ['three', ['a', 'b', 'c']],
])('nothing is signed or verified with %s', (_what, secrets) => {
  expect(() => requireSecrets(secrets)).toThrow(RangeError);
});
