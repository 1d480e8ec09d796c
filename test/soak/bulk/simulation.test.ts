/** Ten thousand histories of what people, machines and clocks do, in `npm run test:soak`; `npm run test:all` plays forty others. */
import { expect, it } from 'vitest';
import { historyOf } from '../../bulk/simulation/acts.js';
import { BAD_ENDS, looksUnder } from '../../bulk/simulation/bad-ends.js';
import { play, type Outcome } from '../../bulk/simulation/history.js';
import { programWithout, RULES } from '../../bulk/simulation/rules.js';
import { endOfStory, STORIES } from '../../bulk/simulation/stories.js';
import { FAULTS, NAMES } from '../../bulk/simulation/verdict.js';
import { recordFigures, under } from '../figures.js';

const SOAK = process.env['SOAK'] !== undefined;
const SEEDS = SOAK ? 10_000 : 2;
/** Behind the ones that every run plays. */
const FIRST = 100_000;
const LIMIT = { timeout: 3_600_000 };
const SUITE = 'Batches, simulated';

/** Adds up what many histories counted. */
class Sum {
  readonly #counts = new Map<string, number>();

  add({ world, verdicts }: Outcome): void {
    const { commands, service, refusals } = world;
    const { ok: _ok, killed = 0, ...others } = refusals;
    this.#count({
      histories: 1,
      'command lines': commands,
      operations: service.ledger.length,
      ...Object.fromEntries(FAULTS.map((fault) => [NAMES[fault], Number(verdicts.includes(fault))])),
      kills: killed,
      ...under('creates met', service.met),
      ...under('ended with', others),
    });
  }

  #count(counts: Readonly<Record<string, number>>): void {
    for (const [name, count] of Object.entries(counts))
      this.#counts.set(name, (this.#counts.get(name) ?? 0) + count);
  }

  get counts(): Record<string, number> {
    const isGrouped = ([name]: readonly [string, number]): boolean => name.includes(': ');
    const all = [...this.#counts];
    const grouped = all.filter(isGrouped).sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries([...all.filter((one) => !isGrouped(one)), ...grouped]);
  }
}

it(`pays nobody twice in ${String(SEEDS)} more histories`, LIMIT, async () => {
  const sum = new Sum();
  const faults: string[] = [];
  for (let seed = FIRST; seed < FIRST + SEEDS; seed += 1) {
    const outcome = await play(historyOf(seed));
    if (outcome.verdicts.length > 0) {
      const fault = `SEED=${String(seed)} ${outcome.verdicts.join(', ')}`;
      // A run of ten thousand ends much later.
      process.stderr.write(`${fault}\n`);
      faults.push(fault);
    }
    sum.add(outcome);
  }
  expect(faults).toEqual([]);
  recordFigures({ suite: SUITE, run: `${String(SEEDS)} seeds`, counts: sum.counts });
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
