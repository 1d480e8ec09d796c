import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import { idBeginning } from '../../src/contract/notation.js';
import { idCells } from '../../src/output/views/blocks.js';

const shortOf = (ids: readonly string[]): string[] =>
  idCells(ids).map((cell) => (typeof cell === 'string' ? cell : (cell.short ?? cell.text)));
const timed = (at: number): string => `0192f0a1-7c3${String(at)}-7000-8000-1a2b3c4d5e6f`;

describe('ids of a list', () => {
  it('are eight characters where chance tells them apart', () => {
    expect(shortOf(['be8ecbed-4b7b-49dc-b9d2-455ef649908f', 'c9c2df81-00da-424f-91e5-163a00f6b8f1'])).toEqual(
      ['be8ecbed', 'c9c2df81'],
    );
  });

  it('are longer than what several of them begin with, by more than the one character that differs', () => {
    expect(shortOf([timed(1), timed(2)])).toEqual(['0192f0a1-7c31-7', '0192f0a1-7c32-7']);
  });

  it('that stand there twice are as short as one', () => {
    expect(new Set(shortOf([timed(1), timed(1)]))).toEqual(new Set(['0192f0a1']));
  });

  it('that are no uuids stay whole', () => {
    expect(idCells(['op_1234567890', ''])).toEqual(['op_1234567890', '']);
  });

  it('are taken by every command, and each means itself alone', () => {
    const ids = fc.array(fc.uuid(), { minLength: 1, maxLength: 30 });
    const near = ids.map((all) => all.map((id, at) => (at % 3 === 0 ? id : `0192f0a1-7c3${id.slice(12)}`)));
    fc.assert(
      fc.property(near, (all) => {
        const short = shortOf(all);
        for (const [at, text] of short.entries()) {
          const beginning = text === all[at] ? text : idBeginning(text);
          expect(beginning).not.toBeNull();
          const meant = all.filter((id) => id.startsWith(beginning ?? ''));
          expect(new Set(meant)).toEqual(new Set([all[at]]));
        }
      }),
    );
  });
});
