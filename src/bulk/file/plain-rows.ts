/** The rows of a file of the plain form: CSV with commas or NDJSON, in UTF-8. */
import type { Capabilities } from '../../contract/catalog.js';
import type { Direction } from '../../contract/operation.js';
import type { Problems } from '../../runtime/problems.js';
import { readCsv } from './csv-rows.js';
import type { FileRows } from './file-row.js';
import { readNdjson } from './ndjson-rows.js';
import type { RowFile } from './row-file.js';
import type { FileText } from './source.js';

export function plainFile(text: FileText, direction: Direction, catalog: Capabilities): RowFile {
  return {
    reading: null,
    rows: (problems) => rowsOf(text.chunks(problems), direction, catalog, problems),
    hash: () => text.hash(),
    requireUnchanged: () => text.requireUnchanged(),
    close: () => text.close(),
  };
}

/** A body begins with a brace, and no column does. */
async function* rowsOf(
  chunks: AsyncGenerator<string, void, void>,
  direction: Direction,
  catalog: Capabilities,
  problems: Problems,
): FileRows {
  let start = '';
  let isOver = false;
  while (start.trim() === '' && !isOver) {
    const { done, value } = await chunks.next();
    isOver = done === true;
    start += value ?? '';
  }
  const text = (async function* () {
    yield start;
    yield* chunks;
  })();
  if (start.trimStart().startsWith('{')) yield* readNdjson(text, problems);
  else yield* readCsv(text, direction, catalog, problems);
}
