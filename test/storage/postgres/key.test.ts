import { describe, expect, it } from 'vitest';
import { systemRandom } from '../../../src/runtime/clock.js';
import { keyProblem, readStateKey, type StateKey, stateKeyOf } from '../../../src/storage/postgres/key.js';
import { initialSql } from '../../../src/storage/postgres/make-tables.js';

const BYTES = Buffer.from(Array.from({ length: 32 }, (_, index) => index));
const KEY = stateKeyOf(BYTES, systemRandom);
const OTHER = stateKeyOf(Buffer.alloc(32, 9), systemRandom);
const TEXT = Buffer.from('{"account_number":"0102"}');

const read = (text: string, env: Record<string, string> = { SVC_STATE_KEY_FILE: '/key' }) =>
  readStateKey(env, () => text, systemRandom);

describe('the key of a state', () => {
  it('is 32 bytes in base64, and what it is in any spelling is not printed', () => {
    const text = BYTES.toString('base64');
    const { key, secrets } = read(text)!;
    expect(key.check).toEqual(KEY.check);
    for (const spelling of ['base64', 'base64url', 'hex'] as const)
      expect(secrets).toContain(BYTES.toString(spelling));
    expect(read(text.replace('=', ''))!.key.check).toEqual(KEY.check);
    expect(read(text, {})).toBeNull();
  });
  const [short, long] = [31, 33].map((count) => Buffer.alloc(count).toString('base64'));
  it.each(['', 'short', short!, long!, 'x'.repeat(44)])('is nothing else: %j', (text) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ exitCode: 2 }) as Error);
  });

  it('is missed where the variable is empty, and is not repeated where it is wrong', () => {
    expect(() => read('', { SVC_STATE_KEY_FILE: '' })).toThrow('is set but empty');
    expect(() => read('a-wrong-secret')).not.toThrow('a-wrong-secret');
  });

  it('seals what it is given, and no other key makes that seal', () => {
    const seal = KEY.seal('a\0', TEXT);
    expect(KEY.seal('a\0', TEXT)).toEqual(seal);
    for (const other of [OTHER.seal('a\0', TEXT), KEY.seal('b\0', TEXT), KEY.seal('a\0', TEXT.subarray(1))])
      expect(other).not.toEqual(seal);
  });

  it('hides bytes, each time otherwise, and shows them where they were put and nowhere else', () => {
    const [hidden, again] = [KEY.hide(TEXT, 'here'), KEY.hide(TEXT, 'here')];
    expect(Buffer.from(hidden).includes('0102')).toBe(false);
    expect(hidden).not.toEqual(again);
    expect(KEY.reveal(hidden, 'here')).toEqual(TEXT);
    expect(KEY.reveal(hidden, 'there')).toBeNull();
    expect(OTHER.reveal(hidden, 'here')).toBeNull();
    for (const index of [0, 12, hidden.length - 1]) {
      const changed = Buffer.from(hidden);
      changed[index]! ^= 1;
      expect(KEY.reveal(changed, 'here')).toBeNull();
    }
    for (const length of [0, 12, 27, hidden.length - 1])
      expect(KEY.reveal(hidden.subarray(0, length), 'here')).toBeNull();
    expect(KEY.reveal(KEY.hide(Buffer.alloc(0), 'here'), 'here')).toEqual(Buffer.alloc(0));
  });

  it('says which it is by a proof that is no part of it', () => {
    expect(KEY.check).not.toEqual(OTHER.check);
    expect(Buffer.from(KEY.check).equals(BYTES)).toBe(false);
  });
});

describe('tables and a key', () => {
  const made = (key: StateKey | null, of = 'sandbox') => ({ environment: of, key_check: key?.check ?? null });

  it('fit where both are of one key, and in the sandbox where both have none', () => {
    expect(keyProblem(made(KEY), KEY)).toBeNull();
    expect(keyProblem(made(KEY, 'live'), KEY)).toBeNull();
    expect(keyProblem(made(null), null)).toBeNull();
  });

  it('do not fit where one has none, or another one', () => {
    const differs = { exitCode: 16, facts: { code: 'state_key_differs', outcome: 'not_sent' } };
    expect(keyProblem(made(KEY), OTHER)).toMatchObject(differs);
    expect(keyProblem({ environment: 'sandbox', key_check: Buffer.alloc(0) }, KEY)).toMatchObject(differs);
    expect(keyProblem(made(null), KEY)).toMatchObject(differs);
    const missing = { exitCode: 13, facts: { code: 'state_key_missing', outcome: 'not_sent' } };
    expect(keyProblem(made(KEY), null)).toMatchObject(missing);
    expect(keyProblem(made(null, 'live'), null)).toMatchObject(missing);
  });

  it('are not made for live without one', () => {
    expect(() => initialSql('svc', 'live', null)).toThrow(expect.objectContaining({ exitCode: 13 }) as Error);
    expect(initialSql('svc', 'live', KEY)).toContain(Buffer.from(KEY.check).toString('hex'));
    expect(initialSql('svc', 'sandbox', null)).toContain("'sandbox', NULL)");
  });
});
