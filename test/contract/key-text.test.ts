import { describe, expect, it } from 'vitest';
import {
  hasKeyPrefix,
  isApiKey,
  isMaskOf,
  maskOf,
  readKeyText,
  showMask,
} from '../../src/contract/access.js';
import type { ApiKey } from '../../src/contract/access.js';

const keyOf = (text: string): ApiKey => {
  const key = readKeyText(text);
  if (!isApiKey(key)) throw new Error(key.reason);
  return key;
};

describe('readKeyText', () => {
  it.each([
    ['svc_test_abc', 'sandbox', 'svc_test_abc'],
    ['svc_live_abc', 'live', 'svc_live_abc'],
    ['\n\t svc_test_~!abc \r\n', 'sandbox', 'svc_test_~!abc'],
    ['\ufeffsvc_test_abc\n', 'sandbox', 'svc_test_abc'],
  ])('%j is a key of %s', (text, environment, key) => {
    expect(readKeyText(text)).toEqual({ text: key, environment });
  });

  it.each([
    ['', 'empty'],
    [' \n', 'empty'],
    ['sk_test_abc', 'prefix'],
    ['SVC_TEST_abc', 'prefix'],
    ['Bearer svc_test_abc', 'prefix'],
    ['svc_live', 'prefix'],
    ['svc_live_', 'malformed'],
    ['svc_live_a b', 'malformed'],
    ['svc_live_a\nsvc_live_b', 'malformed'],
    ['svc_live_a\u0000', 'malformed'],
    ['svc_live_\u00fc', 'malformed'],
    ['svc_live_' + 'a'.repeat(504), 'malformed'],
  ])('%j is none: %s', (text, problem) => expect(readKeyText(text)).toMatchObject({ problem }));

  it('never repeats the text', () => {
    for (const text of ['canary', 'svc_live_can ary', 'svc_test_' + 'canary'.repeat(99)]) {
      expect(JSON.stringify(readKeyText(text))).not.toMatch(/can ?ary/);
    }
  });
});

describe('masks', () => {
  it('keep the prefix and the last four characters', () => {
    const mask = maskOf(keyOf('svc_live_abcdefgh1234'));
    expect(mask).toEqual({ prefix: 'svc_live_', last4: '1234' });
    expect(showMask(mask)).toBe('svc_live_...1234');
  });

  it('keep nothing of a key so short that four characters are half of it', () => {
    expect(maskOf(keyOf('svc_live_abc1234'))).toEqual({ prefix: 'svc_live_', last4: '' });
    expect(maskOf(keyOf('svc_live_abcd1234'))).toEqual({ prefix: 'svc_live_', last4: '1234' });
    expect(maskOf(keyOf('svc_test_abc1234')).last4).toBe('');
    expect(maskOf(keyOf('svc_test_abcd1234')).last4).toBe('1234');
  });

  it('tell one key from another', () => {
    const key = keyOf('svc_live_abcdefgh1234');
    expect(isMaskOf(maskOf(key), key)).toBe(true);
    expect(isMaskOf(maskOf(key), keyOf('svc_live_abcdefgh1235'))).toBe(false);
    expect(isMaskOf(maskOf(key), keyOf('svc_test_abcdefgh1234'))).toBe(false);
  });
});

describe('hasKeyPrefix', () => {
  it.each([
    ['x svc_live_', true],
    ['SVC_TEST_a', true],
    ['svc-test', false],
  ])('%j: %s', (text, holds) => expect(hasKeyPrefix(text)).toBe(holds));
});
