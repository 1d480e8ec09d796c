import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeBytes, escapeLines, escapeText } from '../../src/output/escape.js';
import { bytes } from './samples.js';

/** The test lists the unsafe characters by number, so that it does not use the pattern under test. */
const UNSAFE: readonly number[] = [
  ...range(0x00, 0x1f),
  ...range(0x7f, 0x9f),
  ...range(0x202a, 0x202e),
  ...range(0x2066, 0x2069),
  0x061c,
  ...[0xad, 0x034f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x3164, 0xfeff, 0xffa0],
  ...range(0x180b, 0x180f),
  ...range(0x200b, 0x200d),
  ...range(0x2060, 0x206f),
  ...range(0xfe00, 0xfe0f),
  0x200e,
  0x200f,
  0x2028,
  0x2029,
  0xd800,
  0xdfff,
  ...range(0xe0000, 0xe007f),
  ...range(0xe0100, 0xe01ef),
];

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}

const UNSAFE_SET = new Set(UNSAFE);
const isUnsafe = (text: string): boolean =>
  Array.from(text).some((character) => UNSAFE_SET.has(character.codePointAt(0)!));

describe('escapeText', () => {
  it('shows every unsafe character as an escape and nothing else differently', () => {
    for (const code of UNSAFE) {
      const shown = escapeText(`a${String.fromCodePoint(code)}b`);
      expect(isUnsafe(shown), code.toString(16)).toBe(false);
      expect(shown).toMatch(/^a\\((u[0-9a-f]{4}){1}|ud[0-9a-f]{3}\\ud[0-9a-f]{3}|[nrt])b$/);
    }
    expect(escapeText('\u001b[31mred\u009b0m')).toBe('\\u001b[31mred\\u009b0m');
    expect(escapeText('a\tb\r\nc')).toBe('a\\tb\\r\\nc');
    expect(escapeText('señor 日本 😀 Ω \\ "')).toBe('señor 日本 😀 Ω \\ "');
  });

  const SEEN = ['👨‍👩‍👧', '❤️', '🏳️‍🌈', '👩🏽‍🚀', '1️⃣', 'می‌خواهم', 'क्‍ष', '邉󠄂'];
  it.each(SEEN)('leaves what is seen by what it does: %s', (text) => expect(escapeText(text)).toBe(text));

  it.each([
    ['pay\u200dments', 'pay\\u200dments'],
    ['1\ufe0f2', '1\\ufe0f2'],
    ['😀\u200d 1', '😀\\u200d 1'],
    ['😀\ufe0f\ufe0f', '😀\ufe0f\\ufe0f'],
    ['می\u200c', 'می\\u200c'],
    ['🏴\u{e0067}', '🏴\\udb40\\udc67'],
  ])('shows what does nothing there: %j', (text, shown) => expect(escapeText(text)).toBe(shown));

  it('leaves no unsafe character in any text, and changes nothing twice', () => {
    const text = fc.string({ unit: 'binary', maxLength: 60 });
    fc.assert(
      fc.property(text, fc.constantFrom(...UNSAFE), (around, code) => {
        const shown = escapeText(`${around} ${String.fromCodePoint(code)} ${around}`);
        expect(shown).not.toContain(` ${String.fromCodePoint(code)} `);
        expect(escapeText(shown)).toBe(shown);
      }),
    );
  });
});

it('escapeLines keeps line ends and tabs, and shows a carriage return that would overwrite its line', () => {
  expect(escapeLines('{\r\n\t"a": 1\n}')).toBe('{\r\n\t"a": 1\n}');
  expect(escapeLines('"failed"\r"confirmed"\r')).toBe('"failed"\\r"confirmed"\\r');
});

describe('escapeBytes', () => {
  it('shows bytes that are no UTF-8, one by one', () => {
    const broken = Buffer.from('229b33c3a9ffe282f09f9880eda080', 'hex');
    expect(escapeBytes(broken)).toBe('"\\x9b3é\\xff\\xe2\\x82😀\\xed\\xa0\\x80');
    expect(escapeBytes(bytes('é\u009b'))).toBe('é\\u009b');
  });

  it('leaves JSON the same JSON, and any bytes safe', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'binary' }), (text) => {
        expect(JSON.parse(escapeBytes(bytes(text)))).toEqual(JSON.parse(text));
      }),
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (any) => {
        expect(isUnsafe(escapeBytes(any).replace(/\r\n|[\n\t]/g, ''))).toBe(false);
      }),
    );
  });
});
