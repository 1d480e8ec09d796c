import { formOptions } from '../../command/line/flags.js';
import type { ReadingPlan } from './guess-plan.js';
import type { ReadingEnd } from './plan.js';
import { planSentences, READING_SHELF, saveReading } from './plan-words.js';
import { type FileSource, openSource } from '../../sheet/file-source.js';
import { readStatement, type Statement } from './statement.js';
import { requireMapName, withSavedMap } from '../../sheet/saved-maps.js';
import { toDisposable, openTogether } from '../../runtime/disposal.js';
import { untilStopped } from '../../runtime/ports.js';
import { type ReconcileFlags, zoneOf } from '../flags.js';
import type { SessionRun } from '../../command/command.js';

export type Ledger = Statement & Pick<FileSource, 'name' | 'isRepeatable'>;

export async function openLedger(
  path: string,
  run: SessionRun<ReconcileFlags>,
): Promise<Ledger & AsyncDisposable> {
  const { ports, flags, session } = run;
  const typedOptions = { ...formOptions(flags), dateFormat: flags['date-format'] ?? null };
  const options = withSavedMap(ports.paths, READING_SHELF, typedOptions);
  if (flags['save-map'] !== undefined) requireMapName(READING_SHELF, flags['save-map']);
  const opening = openSource(path, ports.input, 'Nothing was reconciled.');
  return openTogether(async (use) => {
    const source = use(
      toDisposable(stoppableSource(await untilStopped(opening, ports.signal), ports.signal)),
    );
    const currency = flags.currency?.toUpperCase() ?? null;
    const statement = await readStatement(source, options, { zone: zoneOf(run), currency });
    for (const sentence of planSentences(statement.plan, source.name)) await session.note(sentence);
    return { ...statement, name: source.name, isRepeatable: source.isRepeatable };
  });
}

/** A stream may stay silent forever, so a signal ends the wait. */
function stoppableSource(source: FileSource, signal: AbortSignal): FileSource {
  return {
    ...source,
    bytes: async function* () {
      const pieces = source.bytes()[Symbol.asyncIterator]();
      for (;;) {
        const piece = await untilStopped(pieces.next(), signal);
        if (piece.done === true) return;
        yield piece.value;
      }
    },
  };
}

export async function saveMap(
  plan: ReadingPlan,
  { ports, flags, session }: SessionRun<ReconcileFlags>,
): Promise<void> {
  const name = flags['save-map'];
  if (name === undefined) return;
  const path = saveReading(ports.paths, name, plan);
  await session.note(`Saved as map ${name} (${path}). Next time: --map ${name}`);
}

export function skippedText({ skipped, skippedCount }: ReadingEnd): string {
  const texts = skipped.map(({ line, text, why }) => `line ${line} (${why}: ${JSON.stringify(text)})`);
  const more = skippedCount - texts.length;
  return `Left out, because it holds no payment: ${texts.join(', ')}${more > 0 ? ` and ${String(more)} more` : ''}.`;
}
