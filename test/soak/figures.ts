/** `npm run safety` collects these counts for docs/benchmarks.md. Without `SOAK_FIGURES` nothing is written. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Figures {
  readonly suite: string;
  readonly run: string;
  readonly counts: Readonly<Record<string, number>>;
}

export function recordFigures({ suite, run, counts }: Figures): void {
  const folder = process.env['SOAK_FIGURES'];
  if (folder === undefined) return;
  const name = `${suite} ${run}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  writeFileSync(join(folder, `${name}.json`), JSON.stringify({ suite, run, counts }));
}

export function addTo(sum: Record<string, number>, counts: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(counts)) sum[name] = (sum[name] ?? 0) + count;
}

export function under(heading: string, counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [`${heading}: ${name}`, count]));
}
