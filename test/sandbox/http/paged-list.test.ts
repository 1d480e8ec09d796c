import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sealCursor, unsealCursor } from '../../../src/sandbox/http/lists.js';

const company = { id: 1, environment: 'sandbox', name: 'acme' } as const;
const place = { secret: 'secret', company };
const cursor = sealCursor(place, 300);

describe('a cursor', () => {
  it('brings back its position', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 48 - 1 }), (sequence) => {
        expect(unsealCursor(place, sealCursor(place, sequence))).toBe(sequence);
      }),
    );
  });

  it('stays good when the company has another number, after a reset', () => {
    expect(unsealCursor({ ...place, company: { ...company, id: 7 } }, cursor)).toBe(300);
  });

  it.each([
    ['of another company', { company: { ...company, name: 'acmf' } }],
    ['of the other environment', { company: { ...company, environment: 'live' } as const }],
    ['of another store', { secret: 'another' }],
  ])('is refused %s', (_, other) => expect(unsealCursor({ ...place, ...other }, cursor)).toBeNull());

  it('is refused with any character changed, left out or added', () => {
    const positions = Array.from({ length: cursor.length }, (_, index) => index);
    const changed = positions.map(
      (at) => cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1),
    );
    const shorter = positions.map((at) => cursor.slice(0, at) + cursor.slice(at + 1));
    for (const forged of [...changed, ...shorter, `${cursor}A`, `${cursor}=`, ` ${cursor}`, '', '0', '300'])
      expect([forged, unsealCursor(place, forged)]).toEqual([forged, null]);
  });
});
