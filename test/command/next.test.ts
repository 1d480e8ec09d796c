import { expect, it } from 'vitest';
import { nextCommand, type TypedLine } from '../../src/command/ending.js';

const at = (line: string, flags: TypedLine['flags'] = {}): TypedLine => ({ typed: line.split(' '), flags });
const SAME = { kind: 'same', key: null } as const;

it.each<[string, Parameters<typeof nextCommand>[0], TypedLine, string | null]>([
  ['nothing', null, at('payouts get x'), null],
  [
    'a create, with the key it had',
    { kind: 'same', key: 'k-12345678' },
    at('payouts create --amount 1'),
    'svc payouts create --amount 1 --idempotency-key k-12345678',
  ],
  [
    'a create whose key was typed, with that alone',
    { kind: 'same', key: 'k-12345678' },
    at('payouts create --idempotency-key=k-12345678'),
    'svc payouts create --idempotency-key=k-12345678',
  ],
  ['a code, which is typed again', SAME, at('payins confirm x --code 123456'), 'svc payins confirm x'],
  ['a code in one word', SAME, at('payins confirm x --code=123456'), 'svc payins confirm x'],
  ['a code of a pipe', SAME, at('payins confirm x --code -'), 'svc payins confirm x --code -'],
  [
    'a repetition, in the same place',
    { kind: 'repeat', key: 'k-12345678' },
    at('payouts create', { profile: 'shop', live: true }),
    'svc requests repeat --profile shop --live -- k-12345678',
  ],
])('%s', (_what, next, typed, line) => expect(nextCommand(next, typed)).toBe(line));
