/** The beginning of a file, kept until its plan is made, and then read again before the rest: nothing is read twice but by who asks for it. */
import { Failure } from '../runtime/failure.js';
import type { FileSource } from './file-source.js';
import type { SaidOfSheet, TextEncoding } from './forms.js';
import { lineEnds } from './scanning.js';
import type { Sniffed } from './sniffing.js';
import { BrokenText, textOf } from './text.js';
import type { Workbook } from './workbook/workbook.js';
import { workbookOf } from './workbook-source.js';

/** How far is looked ahead before a plan is made. */
const AHEAD_CHARACTERS = 1024 * 1024;

/** 50 lines, of whatever length a title has. */
const SAMPLE_CHARACTERS = 256 * 1024;

const BROKEN =
  'is not UTF-8; where it was written by an older program, or by a bank that writes Latin-1, add --encoding latin1';

export interface LookAhead {
  readonly pieces: readonly string[];
  /** Whether they are all there is. */
  readonly isWhole: boolean;
  readonly encoding: TextEncoding;
  /** Whether the first bytes say it. */
  readonly isMarked: boolean;
  /** Null for text. */
  readonly workbook: Pick<Workbook, 'sheet' | 'others'> | null;
  /** The same pieces and then the rest, once. @throws BrokenText */
  all(): AsyncGenerator<string, void, void>;
  /** All of it from the beginning, where the source can be read again. @throws BrokenText */
  again(): AsyncGenerator<string, void, void>;
}

/** @throws Failure `bad_file` where it is no text of that encoding, with the line, or a workbook that can't be read; `usage` for a sheet that is not there */
export async function lookAhead(
  source: FileSource,
  { encoding: said, sheet }: Pick<SaidOfSheet, 'encoding' | 'sheet'>,
): Promise<LookAhead> {
  let sniffed: Sniffed | null = null;
  const workbook = await workbookOf(source, sheet);
  const again = (): AsyncGenerator<string, void, void> =>
    workbook === null ? textOf(source, said, (found) => (sniffed = found)) : workbook.text();
  const text = again();
  const encoding = (): TextEncoding => sniffed?.encoding ?? 'utf8';
  const marks = (): number => sniffed?.markBytes ?? 0;
  const pieces: string[] = [];
  let isWhole = false;
  try {
    for (let length = 0; length < AHEAD_CHARACTERS; length += pieces.at(-1)?.length ?? 0) {
      const { value, done } = await text.next();
      isWhole = done === true;
      if (isWhole) break;
      pieces.push(value as string);
    }
  } catch (error) {
    if (!(error instanceof BrokenText)) throw error;
    const line = pieces.reduce((count, piece) => count + lineEnds(piece), 1);
    throw new Failure('bad_file', `${source.name} has 1 problem. ${source.undone}`, {
      items: [`line ${line}: ${brokenBy(encoding())}`],
      details: [{ field: `line ${line}`, code: 'invalid' }],
      cause: error,
    });
  }
  return {
    pieces,
    isWhole,
    encoding: encoding(),
    isMarked: marks() > 0,
    workbook,
    again,
    all: async function* () {
      yield* pieces.splice(0);
      yield* text;
    },
  };
}

/** The first pieces, whatever their size: what a header is looked for in. */
export function sampleOf({ pieces }: LookAhead): string {
  let length = 0;
  const end = pieces.findIndex((piece) => (length += piece.length) >= SAMPLE_CHARACTERS);
  return pieces.slice(0, end === -1 ? undefined : end + 1).join('');
}

export function brokenBy(encoding: TextEncoding): string {
  return encoding === 'utf8' ? BROKEN : `is no ${encoding}: a character is cut off`;
}
