import * as fs from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { beginWholeFile, requireReplaceable } from '../../src/runtime/whole-file.js';
import { testFolder } from '../support/test-folder.js';

const OURS = '<!-- ours -->';
let folder: string;
let path: string;
beforeEach(() => {
  folder = testFolder();
  path = join(folder, 'report.html');
});

it('stands there whole once it is finished, for the user alone', () => {
  const file = beginWholeFile(path, OURS);
  file.write(OURS);
  file.write('x'.repeat(1_000_000));
  expect(fs.readdirSync(folder)).not.toContain('report.html');
  file.write('end');
  file.finish();
  file.abandon();
  expect(fs.readdirSync(folder)).toEqual(['report.html']);
  expect(fs.readFileSync(path, 'utf8')).toBe(`${OURS}${'x'.repeat(1_000_000)}end`);
  expect(fs.statSync(path).mode & 0o777).toBe(0o600);
});

it('leaves nothing where it is abandoned, and what stood there before', () => {
  fs.writeFileSync(path, `${OURS}before`);
  const file = beginWholeFile(path, OURS);
  file.write('after');
  file.abandon();
  expect(fs.readdirSync(folder)).toEqual(['report.html']);
  expect(fs.readFileSync(path, 'utf8')).toBe(`${OURS}before`);
});

it('replaces one of ours, and an empty one', () => {
  for (const before of [`${OURS}before`, '']) {
    fs.writeFileSync(path, before, { mode: 0o644 });
    const file = beginWholeFile(path, OURS);
    file.write(OURS);
    file.finish();
    expect(fs.readFileSync(path, 'utf8')).toBe(OURS);
    expect(fs.statSync(path).mode & 0o777).toBe(0o600);
  }
});

describe('what is in the way', () => {
  it.each([
    ['a file of somebody', () => fs.writeFileSync(path, 'my thesis'), /svc did not write it/],
    ['a folder', () => fs.mkdirSync(path), /is a folder/],
    [
      'a link',
      () => {
        fs.writeFileSync(join(folder, 'elsewhere'), OURS);
        fs.symlinkSync(join(folder, 'elsewhere'), path);
      },
      /is a link/,
    ],
  ])('%s stays', (_, put, says) => {
    put();
    expect(() => requireReplaceable(path, OURS)).toThrow(says);
    const file = beginWholeFile(path, OURS);
    file.write(OURS);
    expect(() => file.finish()).toThrow(says);
    file.abandon();
    expect(fs.readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('is refused for safety', () => {
    fs.writeFileSync(path, 'my thesis');
    let failure: unknown;
    try {
      requireReplaceable(path, OURS);
    } catch (error) {
      failure = error;
    }
    expect(failure).toMatchObject({ exitCode: 13, facts: { code: 'file_in_the_way' } });
  });
});

it('says that there is no such folder, or that it takes no file', () => {
  expect(() => requireReplaceable(join(folder, 'no/report.html'), OURS)).toThrow(/could not be written/);
  if (process.getuid?.() === 0) return;
  fs.chmodSync(folder, 0o500);
  expect(() => requireReplaceable(path, OURS)).toThrow(/Permission denied/);
});
