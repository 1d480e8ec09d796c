/** Golden vectors: a scheme that derives other keys would pay again what a lost store has paid. */
import { expect, it } from 'vitest';
import { createHash } from 'node:crypto';
import { isIdempotencyKey } from '../../src/contract/ids.js';
import { deriveKey } from '../../src/bulk/key.js';

const LIVE = { environment: 'live', origin: 'https://api.example.com', name: 'payroll-2026-09' } as const;
const EMBEDDED = { environment: 'sandbox', origin: 'embedded', name: 'pay' } as const;

it.each([
  [LIVE, 'emp-001', 0, 'svcb1-ZR2JyfwKJIGhf6jPdVKvP9Qt84r_5nGlxiU-Vs_TnIs'],
  [LIVE, 'emp-001', 1, 'svcb1-Wi6Z0DEKE6fZWGR_ilZo8IIM0rHaxYZxm9lXJvKWZ7s'],
  [LIVE, 'EMP-001', 0, 'svcb1-P5CbLbTCIUdeA9vU5k25e2KTl7lq89QejmsCRhxUnf0'],
  [
    { ...LIVE, environment: 'sandbox' as const },
    'emp-001',
    0,
    'svcb1-zGDNILWGW2uqbpoQKrU-ZZlbGbBonaHte6JSgJ9s3co',
  ],
  [EMBEDDED, 'Ñandú / 7', 0, 'svcb1-6lL3NnimSeO-MJ58LyyvZWQsAaH00VFRKWzxDNehPQQ'],
])('derives %j %s %i', (batch, reference, generation, key) => {
  expect(deriveKey(batch, reference, generation)).toBe(key);
});

it('is the base64url SHA-256 of the scheme, environment, origin, name, reference and generation, with NUL between', () => {
  const text = 'svc-bulk-v1\0live\0https://api.example.com\0payroll-2026-09\0emp-001\x000';
  const digest = createHash('sha256').update(text).digest('base64url');
  expect(deriveKey(LIVE, 'emp-001', 0)).toBe(`svcb1-${digest}`);
  expect(isIdempotencyKey(deriveKey(LIVE, 'emp-001', 0))).toBe(true);
});

it('takes no part that could be mistaken for two', () => {
  expect(() => deriveKey(LIVE, 'a\0b', 0)).toThrow(RangeError);
});
