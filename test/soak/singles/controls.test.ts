import { expect, it } from 'vitest';
import { CONTROLS } from '../../batches/simulation/singles/controls.js';
import { playSingles } from '../../batches/simulation/singles/history.js';
import { programOf } from '../../batches/simulation/singles/programs.js';
import { NEVER } from '../../batches/simulation/singles/tally.js';
import { recordFigures } from '../figures.js';
import { SUITE } from './family.js';

it.runIf(process.env['SOAK'] !== undefined)('end badly', { timeout: 600_000 }, async () => {
  const counts: Record<string, number> = { histories: CONTROLS.length };
  for (const counted of Object.values(NEVER)) counts[counted] = 0;
  for (const control of CONTROLS) {
    const { family, seed, ends, manners } = control;
    const { tally } = await playSingles(family, seed, await programOf(family, control), manners);
    expect([...tally.keys()], control.name).toContain(ends);
    for (const [name, counted] of Object.entries(NEVER)) counts[counted]! += Number(tally.has(name));
  }
  recordFigures({ suite: SUITE, run: `control: each of ${String(CONTROLS.length)} rules put out`, counts });
});
