import { describe, expect, it } from 'vitest';
import { createJqFilter } from '../../src/output/jq.js';
import type { Failure } from '../../src/runtime/failure.js';

const run = async (expression: string, text: string): Promise<string> =>
  (await createJqFilter(expression))(text);
const refusal = async (expression: string): Promise<Failure> => {
  try {
    await createJqFilter(expression);
  } catch (error) {
    return error as Failure;
  }
  throw new Error('was accepted');
};

describe('createJqFilter', () => {
  it('prints strings raw and everything else as compact JSON, one result a line', async () => {
    expect(await run('.a', '{"a":"x\\ny"}')).toBe('x\ny\n');
    expect(await run('.[] | .id', '[{"id":"a"},{"id":{"b": [1, 2]}}]')).toBe('a\n{"b":[1,2]}\n');
    expect(await run('empty', '{}')).toBe('');
    expect(await run('.a', '{"a":1}\n{"a":2}\n')).toBe('1\n2\n');
    expect((await createJqFilter('.a'))(Buffer.from('{"a":"é😀"}'))).toBe('é😀\n');
  });

  it('keeps the digits of numbers that it only passes on', async () => {
    expect(await run('.', '{"n":12345678901234567890,"x":1.10}')).toBe(
      '{"n":12345678901234567890,"x":1.10}\n',
    );
  });

  it.each([
    ['.a[', 'line 1'],
    ['.a |\n foo(', 'line 2'],
    ['nofunc', 'nofunc/0 is not defined at line 1'],
    ['', 'empty'],
    [' ', 'empty'],
    ['-n', 'line 1'],
    ['--version', 'line 1'],
  ])('refuses %j and says where', async (expression, where) => {
    const { kind, message } = await refusal(expression);
    expect(kind).toBe('usage');
    expect(message).toContain(where);
    expect(message).toContain('Nothing was sent');
    expect(message).not.toContain('def debug');
  });

  it('takes an expression that begins with a dash, or ends with a comment', async () => {
    expect(await run('-.a', '{"a":1}')).toBe('-1\n');
    expect(await run('.a # c', '{"a":1}')).toBe('1\n');
  });

  it('prints nothing beside its results', async () => {
    expect(await run('debug | debug("x") | stderr | .a', '{"a":1}')).toBe('1\n');
  });

  it('says that the answer has come where the filter does not apply to it', async () => {
    for (const expression of ['.a.b', 'halt_error', 'error("no")']) {
      const filter = await createJqFilter(expression);
      expect(() => filter('{"a":"x"}')).toThrow(
        expect.objectContaining({
          kind: 'defect',
          facts: expect.objectContaining({ outcome: 'sent' }) as object,
        }) as Error,
      );
    }
    expect(await run('.a', '{"a":"still works"}')).toBe('still works\n');
  });
});
