/** `npm run test:soak` plays ten thousand histories, and `npm run test:all` plays forty others. */
import { expect, it } from 'vitest';
import { historyOf } from '../../batches/simulation/acts.js';
import { BAD_ENDS, looksUnder } from '../../batches/simulation/bad-ends.js';
import { play, type Outcome } from '../../batches/simulation/history.js';
import { programWithout, RULES } from '../../batches/simulation/rules.js';
import { endOfStory, STORIES } from '../../batches/simulation/stories.js';
import { FAULTS, NAMES } from '../../batches/simulation/verdict.js';
import { addTo, recordFigures, under } from '../figures.js';

const SOAK = process.env['SOAK'] !== undefined;
const SEEDS = SOAK ? 10_000 : 2;
const FIRST = 100_000;
const LIMIT = { timeout: 3_600_000 };
const SUITE = 'Batches, simulated';

function countsOf({ world, verdicts }: Outcome): Record<string, number> {
  const { commands, service, refusals } = world;
  const { ok: _ok, killed = 0, ...others } = refusals;
  return {
    histories: 1,
    'command lines': commands,
    operations: service.ledger.length,
    ...Object.fromEntries(FAULTS.map((fault) => [NAMES[fault], Number(verdicts.includes(fault))])),
    kills: killed,
    ...under('creates met', service.met),
    ...under('ended with', others),
  };
}

function inOrder(counts: Readonly<Record<string, number>>): Record<string, number> {
  const { grouped = [], alone = [] } = Object.groupBy(Object.entries(counts), ([name]) =>
    name.includes(': ') ? 'grouped' : 'alone',
  );
  return Object.fromEntries([...alone, ...grouped.sort(([a], [b]) => (a < b ? -1 : 1))]);
}

it(`pays nobody twice in ${String(SEEDS)} more histories`, LIMIT, async () => {
  const sum: Record<string, number> = {};
  const faults: string[] = [];
  for (let seed = FIRST; seed < FIRST + SEEDS; seed += 1) {
    const outcome = await play(historyOf(seed));
    if (outcome.verdicts.length > 0) {
      const fault = `SEED=${String(seed)} ${outcome.verdicts.join(', ')}`;
      // A run of ten thousand takes long, so each fault is printed at once.
      process.stderr.write(`${fault}\n`);
      faults.push(fault);
    }
    addTo(sum, countsOf(outcome));
  }
  expect(faults).toEqual([]);
  recordFigures({ suite: SUITE, run: `${String(SEEDS)} seeds`, counts: inOrder(sum) });
});

it.runIf(SOAK)(
  'and every rule that is put out is missed by the stories and histories that are for it',
  LIMIT,
  async () => {
    const ends: string[] = [];
    for (const story of STORIES) {
      const end = await endOfStory(story, await programWithout(story.rule));
      expect(end, story.name).toBe(story.endsWithout);
      ends.push(end);
    }
    for (const [rule, history, verdict] of BAD_ENDS) {
      const program = await programWithout(rule);
      const { verdicts } = await play(history, { looks: looksUnder(rule), program });
      expect(verdicts, rule).toContain(verdict);
      ends.push(verdicts.join(', '));
    }
    const counts = FAULTS.map((fault) => [NAMES[fault], ends.filter((end) => end.includes(fault)).length]);
    recordFigures({
      suite: SUITE,
      run: `control: each of ${String(RULES.length)} rules put out`,
      counts: { histories: ends.length, ...(Object.fromEntries(counts) as Record<string, number>) },
    });
  },
);
