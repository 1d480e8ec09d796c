import { describe, expect, it } from 'vitest';
import { momentMs, momentText } from '../../src/contract/notation.js';

describe('a moment', () => {
  it.each([
    ['2026-09-23T15:04:05Z', 1_790_175_845_000],
    ['2026-09-23T15:04:05.250Z', 1_790_175_845_250],
    ['2026-09-23T15:04:05.123456Z', 1_790_175_845_123],
    ['2026-09-23T11:04:05-04:00', 1_790_175_845_000],
  ])('is read: %s', (text, ms) => expect(momentMs(text)).toBe(ms));

  it.each([
    ...['2026-09-23T15:04:05', '2026-09-23', '2026-13-23T15:04:05Z', '1790175845', ' 2026-09-23T15:04:05Z'],
    ...['', null, undefined, 1_790_175_845],
  ])('is not %j', (text) => expect(momentMs(text)).toBeNull());

  it('is written as the service does', () => {
    for (const text of ['2026-09-23T15:04:05Z', '2026-09-23T15:04:05.250Z'])
      expect(momentText(momentMs(text) ?? 0)).toBe(text);
  });
});
