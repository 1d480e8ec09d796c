import type { Clearance } from './check/clearance.js';
import type { RowFile, RowReading } from './file/row-file.js';
import { formatColumns } from '../sheet/column-map.js';
import { delimiterName, ENCODING_NAMES } from '../sheet/forms.js';
import { columnText, linesText } from '../sheet/words.js';
import { SENDABLE } from '../storage/batches/row-state.js';
import type { Batch, BatchFacts } from '../storage/batches/batch-store.js';
import { type MapShelf, saveMap, requireMapName, sheetOptionsOf, withSavedMap } from '../sheet/saved-maps.js';
import { type Capabilities, NO_CATALOG } from '../contract/catalog.js';
import { allRowsValues } from '../payments/body-flags.js';
import { formOptions } from '../command/line/flags.js';
import { requirePast } from '../runtime/typed-time.js';
import { fetchCatalogNow } from './plan/fetch-catalog.js';
import { judgeBatch, clearanceWorld, refusalCommands, type BulkJob } from './batch-run.js';
import type { BulkFlags, PlanFlags } from './flags.js';
import { rowReader, type ReadingOptions } from './plan/row-reader.js';
import { Failure } from '../runtime/failure.js';
import { Problems } from '../runtime/problems.js';
import { commandLine, flagWords } from '../runtime/shell.js';
import { isPersonThere, readTypedAnswer, styleForErrors } from '../command/line/terminal.js';
import { withFlags, withoutFlags } from '../command/line/typed-words.js';
import type { SessionRun } from '../command/command.js';

const ROW_SHELF: MapShelf = {
  folder: 'batch-maps',
  undone: 'Nothing was sent.',
  example: 'reference=Ref,amount=Importe',
  optionsOf: sheetOptionsOf,
};

export async function planFile(
  facts: BatchFacts,
  job: BulkJob & SessionRun<BulkFlags & PlanFlags>,
  isKept: boolean,
): Promise<{ batch: Batch; clearance: Clearance }> {
  const { session, ports, flags } = job;
  const [{ makeBatch, refuseWrongRows }, { openRowFile }] = await Promise.all([
    import('./plan/batch-plan.js'),
    import('./file/open.js'),
  ]);
  const { country, currency } = session.defaults;
  const shared = {
    ...allRowsValues(facts.direction, flags),
    country: flags.country ?? country,
    currency: flags.currency ?? currency,
  };
  const options = withSavedMap(ports.paths, ROW_SHELF, formOptions(flags));
  const saveAs = flags['save-map'];
  if (saveAs !== undefined) requireMapName(ROW_SHELF, saveAs);
  const openRows = (capabilities: Capabilities): Promise<RowFile> =>
    openRowFile(facts.file, options, facts.direction, capabilities);
  const { catalog, supportsBank } = await fetchCatalogNow(job).catch(async (catalogError: unknown) => {
    if (!(catalogError instanceof Failure) || catalogError.kind !== 'unavailable') throw catalogError;
    const file = await openRows(NO_CATALOG).catch((fileError: unknown) => {
      throw fileError instanceof Failure && fileError.kind === 'usage' ? catalogError : fileError;
    });
    try {
      if ((file.reading?.guessed ?? []).length === 0)
        await refuseWrongRows({ facts, file, shared, signal: ports.signal });
    } finally {
      await file.close();
    }
    throw catalogError;
  });
  requirePast(facts.sinceMs, session.clock.now());
  const checkWorld = { ...clearanceWorld(job), catalog, supportsBank };
  const file = await openRows(catalog);
  try {
    const { reading } = file;
    if (reading !== null)
      await confirmReading(reading, facts.file, job, { facts, shared, catalog, supportsBank });
    const correctionNotes = new Map<string, string>();
    const plannedBatch = await makeBatch(
      {
        facts,
        file,
        shared,
        correctionNotes,
        isKept,
        signal: ports.signal,
        commands: refusalCommands(job, true),
        allowsDuplicates: flags['allow-duplicates'],
        skipsPaid: flags['skip-paid'],
        // A plan is judged when it is applied, because `--plan` sends nothing.
        admit: async (batch) => {
          if (flags.plan === undefined) await judgeBatch(batch, { isAdmitted: false, states: SENDABLE }, job);
        },
      },
      checkWorld,
    );
    for (const sentence of correctionNotes.values()) await session.note(sentence);
    if (isKept)
      await session.note(
        `Batch ${facts.name}: ${plannedBatch.batch.rows === 1 ? '1 row is' : `${plannedBatch.batch.rows} rows are`} valid.`,
      );
    if (saveAs !== undefined && reading === null)
      await session.note('--save-map saved nothing: this file needs no map.');
    if (saveAs !== undefined && reading !== null) {
      const path = saveMap(ports.paths, ROW_SHELF, saveAs, { map: mapText(reading), ...reading });
      await session.note(`Saved as map ${saveAs} (${path}). Next time: --map ${saveAs}`);
    }
    return plannedBatch;
  } finally {
    await file.close();
  }
}

async function confirmReading(
  reading: RowReading,
  file: string,
  run: SessionRun<BulkFlags>,
  options: Omit<ReadingOptions, 'problems'>,
): Promise<void> {
  const { ports, flags, session } = run;
  const readRow = rowReader({ ...options, problems: new Problems() });
  const firstRows = reading.first.flatMap((row, at) => {
    const plannedRow = readRow(row, at);
    if (plannedRow === null) return [];
    const body = JSON.stringify(JSON.parse(plannedRow.body), null, 1).replaceAll(/\n */g, ' ');
    return [`Line ${row.line} is sent as ${body}`];
  });
  const sentences = [...readingSentences(reading, file), ...firstRows];
  if (reading.guessed.length === 0) {
    for (const sentence of sentences) await session.note(sentence);
    return;
  }
  const names = reading.guessed.map((name) => `--${name}`);
  const unguessedWords = withoutFlags(run.typed, names);
  const { delimiter, decimal, encoding } = reading;
  const map = mapText(reading);
  const values = { map, delimiter: delimiterName(delimiter), decimal, encoding, sheet: null };
  const settlingFlags = reading.guessed.flatMap((name) => flagWords(`--${name}`, values[name] ?? ''));
  const line = commandLine(['svc', ...withFlags(unguessedWords, settlingFlags)]);
  if (!isPersonThere(ports, { 'no-input': flags['no-input'] })) {
    const flagsText = names.length > 1 ? 'these flags' : 'this flag';
    const head = `${file} does not say how to read it. Nothing was sent. Add ${flagsText}: ${names.join(', ')}.`;
    throw new Failure('bad_file', head, {
      items: readingSentences(reading, file),
      otherCommand: { when: 'Where that is right', line },
    });
  }
  // Shows these sentences even with `--quiet`, because nobody can confirm a reading that was not shown.
  for (const sentence of sentences)
    await (flags.quiet ? ports.errors.write(`${ports.redact(sentence)}\n`) : session.note(sentence));
  if (flags['dry-run']) return;
  const style = await styleForErrors(ports, flags);
  await ports.errors.write(`${style.strong('Is the file read correctly?')} y/N `);
  const answer = await readTypedAnswer(ports, 'Nothing was sent.');
  if (!/^(?:y|yes|s[ií])$/i.test(answer?.trim() ?? ''))
    throw new Failure('bad_file', 'You did not confirm how the file is read. Nothing was sent.', {
      otherCommand: { when: 'To set it yourself, change this line', line },
    });
}

function readingSentences(reading: RowReading, name: string): readonly string[] {
  const { unmapped, ...otherMembers } = reading;
  const map = mapText({ ...otherMembers, columns: [...reading.columns, ...unmapped] });
  const { sheets, encoding, delimiter, decimal, headerLine, columns, ignored, above, brokenAt } = reading;
  const form =
    sheets === null
      ? `CSV in ${ENCODING_NAMES[encoding]}, ${delimiterName(delimiter)} between cells`
      : `a workbook, sheet ${JSON.stringify(sheets.sheet)}`;
  const mark = decimal === null ? '' : `, decimal mark: ${decimal}`;
  const fields = columns.map(({ field, name: column, index }) =>
    field === column ? field : `${field} is ${columnText(column, index)}`,
  );
  const quote = (names: readonly string[]): string => names.map((one) => JSON.stringify(one)).join(', ');
  const unreadNames = quote(unmapped.map((one) => one.name));
  const others = sheets?.others ?? [];
  return [
    `${name} is read as ${form}${mark}, header in line ${headerLine}.`,
    ...(others.length === 0 ? [] : [`Sheets that are not read (--sheet): ${quote(others)}.`]),
    ...(brokenAt === null ? [] : [`${brokenAt.replace('line', 'Line')} is not UTF-8.`]),
    `Columns: ${fields.join(', ')}.`,
    ...(ignored.length === 0 ? [] : [`Ignored columns: ${quote(ignored)}.`]),
    ...(unmapped.length === 0
      ? []
      : [
          `Not in --map, with the name of a field: ${unreadNames}. To read them: ${commandLine(['--map', map])}`,
        ]),
    ...(above.length === 0 ? [] : [`Ignored above the header: ${linesText(above)}.`]),
  ];
}

function mapText({ columns, header }: Pick<RowReading, 'columns' | 'header'>): string {
  return formatColumns(columns, header).join(',');
}
