/** The rows of a plan file: what stands under its first line, each the very bytes that leave. */
import { jsonIn } from '../../contract/json.js';
import { isObject } from '../../contract/shape.js';
import { Failure } from '../../runtime/failure.js';
import type { Problems } from '../../runtime/problems.js';
import { openFileSource } from '../../sheet/file-source.js';
import { textLines } from './opening.js';
import type { FileRows, RowFile } from './row-file.js';
import { fileTextOf } from './source.js';

/**
 * The file, of which it is known that it is a plan; the caller closes it.
 * @param path of a private copy
 * @param digest the SHA-256 of the plan, in hexadecimal: what is read has to be that
 * @throws Failure `bad_file` where it can't be read, `local_state` where the disk reports an error
 */
export async function openPlanFile(path: string, digest: string): Promise<RowFile> {
  const source = await openFileSource(path, 'Nothing was sent.', 'a regular file');
  const text = fileTextOf(source);
  return {
    reading: null,
    rows: (problems) => rowsIn(text.chunks(problems), problems),
    hash: () => text.hash(),
    requireUnchanged: async () => {
      await source.requireUnchanged();
      if (text.hash() !== digest) throw changed();
    },
    close: () => source.close(),
  };
}

async function* rowsIn(text: AsyncIterable<string>, problems: Problems): FileRows {
  let line = 0;
  for await (const one of textLines(text)) {
    line += 1;
    if (line === 1) continue;
    const body = jsonIn(one);
    if (isObject(body)) yield { line, body, text: one };
    else problems.add(line, null, 'is not one JSON object');
  }
}

function changed(): Failure {
  return new Failure('bad_file', 'The plan changed while it was read. Nothing was sent.', {
    code: 'plan_damaged',
  });
}
