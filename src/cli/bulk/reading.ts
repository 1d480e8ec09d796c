/** Shows how the file of a batch is read, and has what was guessed confirmed before anything of it is believed. */
import type { RowReading } from '../../bulk/file/row-file.js';
import { readingSentences, settlingFlags } from '../../bulk/file/reading-words.js';
import { rowReader, type ReadingOptions } from '../../bulk/plan/row-reader.js';
import { Failure } from '../../runtime/failure.js';
import { Problems } from '../../runtime/problems.js';
import { commandLine } from '../../runtime/shell.js';
import { isPersonThere, readTypedAnswer, styleForErrors } from '../line/interaction.js';
import { withFlags, withoutFlags } from '../line/shell.js';
import type { SessionRun } from '../session/session.js';
import type { BulkFlags } from './flags.js';

/** @throws Failure `bad_file` where something was guessed and nobody confirmed it, with the line that says it; Stopped */
export async function confirmReading(
  reading: RowReading,
  file: string,
  run: SessionRun<BulkFlags>,
  checking: Omit<ReadingOptions, 'problems'>,
): Promise<void> {
  const { ports, flags, session } = run;
  const sentences = [...readingSentences(reading, file), ...firstRows(reading, checking)];
  if (reading.guessed.length === 0) {
    for (const sentence of sentences) await session.note(sentence);
    return;
  }
  if (!isPersonThere(ports, { 'no-input': flags['no-input'] })) throw notConfirmed(reading, file, run);
  // Quiet or not: nobody confirms what they have not seen.
  for (const sentence of sentences)
    await (flags.quiet ? ports.errors.write(`${ports.redact(sentence)}\n`) : session.note(sentence));
  if (flags['dry-run']) return;
  const style = await styleForErrors(ports, flags);
  await ports.errors.write(`${style.strong('Is the file read correctly?')} y/N `);
  const answer = await readTypedAnswer(ports, 'Nothing was sent.');
  if (!/^(?:y|yes|s[ií])$/i.test(answer?.trim() ?? '')) throw notConfirmed(reading, file, run);
}

/** The first rows as they will leave; what is wrong with one is said with all that is wrong. */
function firstRows({ first }: RowReading, checking: Omit<ReadingOptions, 'problems'>): readonly string[] {
  const read = rowReader({ ...checking, problems: new Problems() });
  return first.flatMap((row, at) => {
    const made = read(row, at);
    return made === null ? [] : [`Line ${row.line} is sent as ${made.body}`];
  });
}

function notConfirmed(reading: RowReading, file: string, { typed }: SessionRun<BulkFlags>): Failure {
  const words = settlingFlags(reading);
  const names = reading.guessed.map((name) => `--${name}`);
  const line = commandLine(['svc', ...withFlags(withoutFlags(typed, names), words)]);
  const flags = names.length > 1 ? 'these flags' : 'this flag';
  return new Failure(
    'bad_file',
    `${file} can be read only by a guess. Nothing was sent. Add ${flags}: ${names.join(', ')}.`,
    {
      items: readingSentences(reading, file),
      otherCommand: { when: 'Where that is right', line },
    },
  );
}
