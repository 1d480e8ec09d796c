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
  if (!isPersonThere(ports, { 'no-input': flags['no-input'] })) throw notSaid(reading, file, run);
  // Quiet or not: nobody confirms what they have not seen.
  for (const sentence of sentences)
    await (flags.quiet ? ports.errors.write(`${ports.redact(sentence)}\n`) : session.note(sentence));
  if (flags['dry-run']) return;
  const style = await styleForErrors(ports, flags);
  await ports.errors.write(`${style.strong('Is the file read correctly?')} y/N `);
  const answer = await readTypedAnswer(ports, 'Nothing was sent.');
  if (!/^(?:y|yes|s[ií])$/i.test(answer?.trim() ?? '')) throw notConfirmed(reading, run);
}

/** The first rows as they will leave; what is wrong with one is said with all that is wrong. */
function firstRows({ first }: RowReading, checking: Omit<ReadingOptions, 'problems'>): readonly string[] {
  const read = rowReader({ ...checking, problems: new Problems() });
  return first.flatMap((row, at) => {
    const made = read(row, at);
    if (made === null) return [];
    // With spaces: a terminal breaks its lines there.
    const body = JSON.stringify(JSON.parse(made.body), null, 1).replaceAll(/\n */g, ' ');
    return [`Line ${row.line} is sent as ${body}`];
  });
}

function notSaid(reading: RowReading, file: string, run: SessionRun<BulkFlags>): Failure {
  const names = namesOf(reading);
  const flags = names.length > 1 ? 'these flags' : 'this flag';
  const head = `${file} does not say how to read it. Nothing was sent. Add ${flags}: ${names.join(', ')}.`;
  return new Failure('bad_file', head, {
    items: readingSentences(reading, file),
    otherCommand: { when: 'Where that is right', line: settledLine(reading, run) },
  });
}

function notConfirmed(reading: RowReading, run: SessionRun<BulkFlags>): Failure {
  return new Failure('bad_file', 'You did not confirm how the file is read. Nothing was sent.', {
    otherCommand: { when: 'To set it yourself, change this line', line: settledLine(reading, run) },
  });
}

function namesOf({ guessed }: RowReading): readonly string[] {
  return guessed.map((name) => `--${name}`);
}

/** The line as it was typed, with what settles the guesses. */
function settledLine(reading: RowReading, { typed }: SessionRun<BulkFlags>): string {
  const plain = withoutFlags(typed, namesOf(reading));
  return commandLine(['svc', ...withFlags(plain, settlingFlags(reading))]);
}
