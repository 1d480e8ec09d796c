/** What a harness counted, for docs/benchmarks.md: `npm run safety` collects it; any other run keeps it to itself. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Figures {
  /** The heading of the table. */
  readonly suite: string;
  /** The column: a seed, or what a broken program does wrong. */
  readonly run: string;
  /** The rows of the column, in their order. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Writes one column into the folder that `SOAK_FIGURES` names, if it names one. */
export function recordFigures({ suite, run, counts }: Figures): void {
  const folder = process.env['SOAK_FIGURES'];
  if (folder === undefined) return;
  const name = `${suite} ${run}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  writeFileSync(join(folder, `${name}.json`), JSON.stringify({ suite, run, counts }));
}

/** Adds counts to those that there are, name by name. */
export function addTo(sum: Record<string, number>, counts: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(counts)) sum[name] = (sum[name] ?? 0) + count;
}

/** Counts under a common heading: `killed: before the plan`. */
export function under(heading: string, counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [`${heading}: ${name}`, count]));
}
