import { describe, expect, it } from 'vitest';
import { onDisk, shellPath } from '../../src/runtime/folders.js';
import { Failure } from '../../src/runtime/failure.js';

const failing = (error: unknown): unknown => {
  try {
    onDisk('written', '/s/journal', () => {
      throw error as Error;
    });
  } catch (thrown) {
    return thrown;
  }
  return null;
};

describe('onDisk', () => {
  it.each([
    ['ENOSPC', /disk is full/],
    ['EDQUOT', /quota/],
    ['EROFS', /read-only/],
    ['EACCES', /Permission denied/],
    ['EIO', /disk reports an error/],
    ['EXYZ', /The system reported EXYZ/],
  ])('%s becomes a local_state failure that names the file and keeps its cause', (code, message) => {
    const cause = Object.assign(new Error('raw'), { code });
    const failure = failing(cause);
    expect(failure).toBeInstanceOf(Failure);
    expect(failure).toMatchObject({ kind: 'local_state', exitCode: 16, cause });
    expect((failure as Failure).message).toMatch(message);
    expect((failure as Failure).message).toContain('/s/journal could not be written');
  });

  it('lets a defect and a failure pass unchanged', () => {
    const defect = new TypeError('x is not a function');
    const failure = new Failure('unsafe', 'no');
    expect(failing(defect)).toBe(defect);
    expect(failing(failure)).toBe(failure);
  });
});

it.each([
  ['/home/a/.config/svc/keys.json', '/home/a/.config/svc/keys.json'],
  ['/home/a b/k', "'/home/a b/k'"],
  ['-rf', './-rf'],
  ["/it's; rm -rf", "'/it'\\''s; rm -rf'"],
])('shellPath %s', (path, shown) => expect(shellPath(path)).toBe(shown));
