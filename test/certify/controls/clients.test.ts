import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BROKEN, type Control, RIGHT, SUITE } from './controls.js';
import type { SeenRun } from '../../../src/certify/client/request-seen.js';
import type { RunPlan } from '../../../src/certify/run/interpose.js';
import { brokenRules, controlCommand, examined } from './exam.js';

const canRun = ({ line: [file = ''] }: Control): boolean => {
  if (!file.endsWith('.py')) return true;
  const script = file === 'adapter.py' ? 'import requests' : '';
  return spawnSync('python3', ['-c', script]).status === 0;
};

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-controls-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.concurrent('a control', () => {
  it.each(
    [...RIGHT, SUITE, ...BROKEN].filter(canRun).map((control) => [control.line.join(' '), control] as const),
  )('%s', { timeout: 120_000 }, async (_, { line, breaks, telling, ...settings }) => {
    const found = await examined(controlCommand(line), { points: 1, only: telling, ...settings });
    expect(found.notJudged).toBeNull();
    expect(Object.keys(brokenRules(found))).toEqual(breaks === null ? [] : [breaks]);
    expect(found.cases.filter(({ notJudged }) => notJudged !== null)).toEqual([]);
    const isTried = (beginning: string): boolean =>
      found.cases.some(({ theCase }) => theCase.id.startsWith(beginning));
    expect(telling.filter((beginning) => !isTried(beginning))).toEqual([]);
  });
});

describe.concurrent('a command that', () => {
  const examinedAs = (file: string, ...args: string[]) =>
    examined(controlCommand([file, ...args]), { only: ['lost-after:', 'lost-before', 'e500', 'members'] });

  it('sends nothing is not judged', async () => {
    expect((await examinedAs('sends-nothing.mjs')).notJudged).toMatchObject({ notJudged: 'no_request' });
  });

  it('pays another number of times in each run is not judged', async () => {
    const found = await examinedAs('random-count.mjs', join(folder, 'count'));
    expect(found.notJudged).toMatchObject({ notJudged: 'differs' });
  });

  it('remembers is judged with --before alone', async () => {
    const memory = join(folder, 'memory');
    const alone = await examinedAs('remembers.mjs', memory);
    expect(alone.notJudged?.why).toContain('--before');
    const before = `rm -f '${memory}'`;
    const found = await examined(controlCommand(['remembers.mjs', memory]), {
      before,
      only: ['lost-after:'],
    });
    expect([found.notJudged, found.cases.length, brokenRules(found)]).toEqual([null, 1, {}]);
  });

  it('fails now and then is not judged where that is seen', async () => {
    // The third run of the command is the first case. The second try of that case succeeds.
    const line = controlCommand(['unsteady.mjs', join(folder, 'runs'), '3']);
    const found = await examined(line, { only: ['lost-after:', 'members'] });
    const [unsteady, ...steady] = found.cases.filter(({ notJudged }) => notJudged !== null);
    expect([unsteady?.notJudged, steady]).toEqual([expect.stringContaining('unstable'), []]);
  });

  it('waits for an answer longer than --limit is not judged, and told to raise it', async () => {
    const runCase = ({ caseId }: RunPlan): Promise<SeenRun> =>
      Promise.resolve({
        ...{ caseId, requests: [], operations: [], deliveries: [], exitCode: 137, tookMs: 70_000, hits: 1 },
        ...{ stoppedFor: 'gave_up', rerunFrom: null, output: '' },
      });
    const { cases } = await examined(controlCommand(['gives-up.mjs']), { only: ['silent'], runCase });
    const notJudged = expect.stringMatching(/longer than --limit .* after 70 s\. Raise --limit/) as string;
    expect(cases).toMatchObject([{ broken: [], notJudged }]);
  });

  it('fails at once is not judged, and what it printed is shown', async () => {
    const found = await examined(['sh', '-c', 'echo no database here >&2; exit 3']);
    expect([found.notJudged?.notJudged, found.lastLines]).toEqual(['exit', ['no database here']]);
  });

  it('never ends, and listens to no signal, is stopped', async () => {
    const line = `trap '' TERM INT; sleep 60 & while :; do sleep 0.1; done`;
    const found = await examined(['sh', '-c', line], { limitMs: 500 });
    expect(found.notJudged).toMatchObject({ notJudged: 'stopped' });
  });

  it('writes megabytes is judged like any other', async () => {
    const [node = '', file = ''] = controlCommand(['gives-up.mjs']);
    const line = `head -c 4000000 /dev/zero; "${node}" "${file}"; code=$?; head -c 4000000 /dev/zero; exit $code`;
    const found = await examined(['sh', '-c', line], { only: ['lost-after:'] });
    expect([found.cases.length, brokenRules(found)]).toEqual([1, {}]);
  });

  it('has a port of its own is run alone where it has to be', async () => {
    const port = String(20_000 + (process.pid % 10_000));
    const found = await examined(controlCommand(['fixed-port.mjs', port]), {
      jobs: 4,
      only: ['lost', 'members'],
    });
    expect(found.notes.join(' ')).toContain('once more, alone');
    expect([brokenRules(found), found.cases.filter(({ notJudged }) => notJudged !== null)]).toEqual([{}, []]);
  });
});
