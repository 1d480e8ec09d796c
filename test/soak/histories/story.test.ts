import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { judge, linesOf, type Happening } from './judge.js';
import { keepStory } from './story.js';
import { ASKED, WRONG_HISTORIES } from './wrong-histories.js';

const PLAN = {
  ...{ seed: 7, payrolls: 1, rows: 2, kills: 0, acts: 0 },
  ...{ machines: 1, concurrency: 1, broken: null },
};

it('a wrong history is kept with its seed, its plan and what was found, and what comes later beside it', () => {
  const [[, , history], [, , other]] = [WRONG_HISTORIES[0]!, WRONG_HISTORIES[1]!];
  const findings = judge(history, ASKED);
  const kept = keepStory({ plan: PLAN, history, findings }, null);
  try {
    const read = (name: string): string => readFileSync(join(kept, name), 'utf8');
    const lines = (name: string): string[] => read(name).trimEnd().split('\n');
    const happenings = (): Happening[] =>
      lines('history.ndjson').map((line) => JSON.parse(line) as Happening);
    expect(JSON.parse(read('plan.json'))).toEqual(PLAN);
    expect(happenings()).toEqual(history);
    expect(lines('findings.txt')).toEqual(linesOf(findings));
    expect(linesOf(judge(happenings(), ASKED))).toEqual(linesOf(findings));
    // The folder of temporary files is removed when the tests end.
    expect(kept.startsWith(tmpdir())).toBe(false);
    expect(keepStory({ plan: PLAN, history: other, findings: judge(other, ASKED) }, kept)).toBe(kept);
    expect(happenings()).toEqual(other);
  } finally {
    rmSync(kept, { recursive: true });
  }
});
