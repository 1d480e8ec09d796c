import { expect, it } from 'vitest';
import { maskPersonal } from '../../src/contract/on-screen.js';

it.each([
  ['payer.document.number', '12345678', '***5678'],
  ['beneficiary.account_number', '01020123456789012345', '***2345'],
  ['account_number', '12345', '***2345'],
  ['account_number', '1234', '***'],
  ['account_number', '1', '***'],
  ['account_number', '', ''],
  ['payer.document.type', 'V', 'V'],
  ['reference', '12345678', '12345678'],
])('%s of %j is shown as %j', (path, value, shown) => expect(maskPersonal(path, value)).toBe(shown));
