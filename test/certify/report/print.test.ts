import { describe, expect, it, onTestFinished } from 'vitest';
import type { Outcome } from '../../../src/certify/report/report.js';
import { examShowing, caseProgress } from '../../../src/certify/report/print.js';
import { world } from '../../support/svc.js';

const TYPED =
  'svc certify receiver --to http://127.0.0.1:3000/ --effect \'grep "$SVC_OPERATION_ID" handled.txt\'';
const failed: Outcome = {
  ...{ id: 'twice.row', severity: 'must', status: 'failed', rule: null, section: '6 (5)' },
  why: 'not the same as one delivery. After one, --effect prints "a". After two, it prints "a\\na"',
  ...{ andSo: null, requests: [], repeat: TYPED },
};
const LEFT_OUT = Array.from({ length: 12 }, (_, at) => `forged.malformed-${String(at)}`);

async function shown(isTTY: boolean, columns: number): Promise<string[]> {
  const home = world();
  onTestFinished(() => home.remove());
  const written: string[] = [];
  const write = (text: string | Uint8Array) => Promise.resolve(void written.push(String(text)));
  const output = { ...home.ports.output, isTTY, columns, write };
  const flags = { strict: false, jobs: '1', quiet: false, output: 'table' } as const;
  const showing = await examShowing({ ...home.ports, output }, flags as never);
  const report = { exam: 'receiver', command: null, clean: null, isStrict: false } as const;
  await showing.show({ ...report, leftOut: LEFT_OUT, outcomes: [failed] }, 'Receiver x.', 1200);
  return written.join('').trimEnd().split('\n');
}

it('fits 60 columns', async () => {
  expect(await shown(true, 60)).toEqual([
    'Receiver x.',
    `FAILED  twice.row${' '.repeat(24)}must, section 6 (5)`,
    '  not the same as one delivery. After one, --effect prints',
    '    "a". After two, it prints "a\\na"',
    `  ${TYPED}`,
    'Left out by you: 12 cases (forged.malformed-0,',
    '  forged.malformed-1, forged.malformed-2,',
    '  forged.malformed-3, forged.malformed-4,',
    '  forged.malformed-5, forged.malformed-6,',
    '  forged.malformed-7, forged.malformed-8,',
    '  forged.malformed-9, forged.malformed-10,',
    '  forged.malformed-11).',
    '0 passed, 1 failed, 0 advice, 0 not judged, 1.2 s. Not',
    '  passed (19).',
  ]);
});

it('has no line but the one to type that is wider than 80 columns', async () => {
  const lines = await shown(true, 80);
  expect(lines.filter((line) => line.length > 80)).toEqual([`  ${TYPED}`]);
});

it('is not broken where nobody looks', async () => {
  const lines = await shown(false, 60);
  expect(lines).toContain(`Left out by you: 12 cases (${LEFT_OUT.join(', ')}).`);
  expect(lines).toContain(`  ${failed.why ?? ''}`);
});

describe('the bar of an exam', () => {
  it.each([60, 20])('is no wider than a terminal of %i columns', async (columns) => {
    const home = world();
    onTestFinished(() => home.remove());
    const shown: string[] = [];
    const write = (text: string) => Promise.resolve(void shown.push(text));
    const errors = { ...home.ports.errors, isTTY: true, columns, write };
    const progress = caseProgress({ ...home.ports, errors, env: { TERM: 'xterm' } }, { quiet: false });
    progress.count('lost-after-4:payins.create-c3c6d2f0', 4);
    errors.columns = columns / 2;
    await progress.end();
    const [line = '', cleared] = shown;
    expect(cleared).toBe('\r\u001B[1A\u001B[J\u001B[K');
    expect(line.startsWith('\r\u001B[K [#######')).toBe(true);
    expect(line.slice(4)).toHaveLength(columns - 1);
  });
});
