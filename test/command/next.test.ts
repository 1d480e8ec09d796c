import { expect, it } from 'vitest';
import { nextCommand, type TypedLine } from '../../src/command/ending.js';

const at = (line: string): TypedLine => ({ typed: line.split(' '), flags: {} });
const SAME = { kind: 'same', key: null } as const;

const KEYED = { kind: 'same', key: 'k-1' } as const;

it.each<[string, Parameters<typeof nextCommand>[0], TypedLine, string | null]>([
  ['nothing', null, at('payouts get x'), null],
  ['a create, with the key it had', KEYED, at('payouts create'), 'svc payouts create --idempotency-key k-1'],
  ['a typed key', KEYED, at('api --idempotency-key=k-1'), 'svc api --idempotency-key=k-1'],
  ['a code, which is typed again', SAME, at('payins confirm x --code 123456'), 'svc payins confirm x'],
  ['a code in one word', SAME, at('payins confirm x --code=123456'), 'svc payins confirm x'],
  ['a code of a pipe', SAME, at('payins confirm x --code -'), 'svc payins confirm x --code -'],
])('%s', (_what, next, typed, line) => expect(nextCommand(next, typed)).toBe(line));
