import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { idBeginning, isIdempotencyKey, isSameId, isUuid } from '../../src/contract/notation.js';

describe('a uuid', () => {
  it('is of any version, in either case', () => {
    fc.assert(fc.property(fc.uuid(), (id) => isUuid(id) && isUuid(id.toUpperCase())));
    expect(isUuid('00000000-0000-0000-0000-000000000000')).toBe(true);
  });

  it('is the same in either case, and no other one', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.uuid(), (id, other) => isSameId(id, other.toUpperCase()) === (id === other)),
    );
    fc.assert(
      fc.property(fc.uuid(), (id) => isSameId(id, id.toUpperCase()) && isSameId(id.toUpperCase(), id)),
    );
  });

  it('is nothing longer, shorter or with a character changed', () => {
    const broken = fc.tuple(fc.uuid(), fc.nat(35), fc.constantFrom('', '/', '%', 'g', '..', '\n', ' '));
    fc.assert(fc.property(broken, ([id, at, text]) => !isUuid(id.slice(0, at) + text + id.slice(at + 1))));
    const id = '7ab2c3d4-5e6f-4a8b-9c0d-1e2f3a4b5c6d';
    for (const text of ['', `${id}\n`, ` ${id}`, `{${id}}`, id.replaceAll('-', ''), '../balances']) {
      expect(isUuid(text), JSON.stringify(text)).toBe(false);
    }
  });
});

describe('an idempotency key', () => {
  it('has 8 to 128 visible characters', () => {
    const visible = fc.string({
      unit: fc.integer({ min: 0x21, max: 0x7e }).map((c) => String.fromCharCode(c)),
      maxLength: 160,
    });
    fc.assert(
      fc.property(visible, (key) => isIdempotencyKey(key) === (key.length >= 8 && key.length <= 128)),
    );
    expect([7, 8, 128, 129].map((length) => isIdempotencyKey('k'.repeat(length)))).toEqual([
      ...[false, true, true, false],
    ]);
  });

  it('may hold spaces, but not around it', () => {
    expect(['invoice 77', ' invoice77', 'invoice77 '].map(isIdempotencyKey)).toEqual([true, false, false]);
  });

  it.each(['12345678\n', '1234\t5678', '\t12345678', 'ñandú-ñandú', '12345678\u0000', '12345678\u007f'])(
    'is not %j',
    (key) => expect(isIdempotencyKey(key)).toBe(false),
  );
});

describe('the beginning of an id', () => {
  it('is one from six digits on, in either case, with its dashes or without any', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.integer({ min: 6, max: 35 }), (id, length) => {
        const cut = id.slice(0, length);
        const whole = cut.replace(/-$/, '');
        expect(idBeginning(cut)).toBe(whole);
        expect(idBeginning(cut.toUpperCase())).toBe(whole);
        expect(idBeginning(cut.replaceAll('-', ''))).toBe(whole);
      }),
    );
  });

  it('is no whole id, nothing shorter, nothing longer and nothing else', () => {
    const id = '6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f';
    for (const text of [
      id,
      id.toUpperCase(),
      ...['', '6f1c2', '6f1c-', `${id}0`, `${id}-`, `${id}-0`, `${id.replaceAll('-', '')}0`],
    ])
      expect(idBeginning(text), text).toBeNull();
    for (const text of [
      ...['6f1c2-a9e', '-6f1c2a', '6f1c2a9e--3b', '6f1c2a9e-3b4d4c', '6f1c2g', ' 6f1c2a', '6f1c2a\n'],
      '٦٦٦٦٦٦',
    ])
      expect(idBeginning(text), text).toBeNull();
  });
});
