/** `npm run test:soak` plays ten thousand other histories, and `SEED=n` plays one. */
import { expect, it } from 'vitest';
import { historyOf } from './acts.js';
import { play } from './history.js';
import { rounds } from '../../support/rounds.js';

const ONE = process.env['SEED'];
const FIRST = Number(ONE ?? 1);
const COUNT = ONE === undefined ? rounds(40) : Number(process.env['COUNT'] ?? 1);
const LIMIT_MS = 120_000;
const ENDED_BADLY_ONCE = [100_189, 100_208];

it(
  'pays nobody twice, loses nothing, tells no lies and leaves nothing open, whatever people, machines and clocks do',
  async () => {
    const faults: string[] = [];
    const seeds = Array.from({ length: COUNT }, (_, at) => FIRST + at);
    for (const seed of [...seeds, ...(ONE === undefined ? ENDED_BADLY_ONCE : [])]) {
      const { verdicts, world } = await play(historyOf(seed));
      if (verdicts.length > 0)
        faults.push([`SEED=${String(seed)} ${verdicts.join(', ')}`, ...world.log, ...world.lies].join('\n'));
    }
    expect(faults.join('\n\n')).toBe('');
  },
  LIMIT_MS,
);
