/** A machine that has too little of something, in a program of its own: whatever it lacks, the line ends with 16 or does its work. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { csv, people } from '../support/payroll.js';
import { shell } from '../support/program.js';
import { testFolder } from '../support/test-folder.js';

const home = testFolder();
writeFileSync(join(home, 'pay.csv'), csv(people(2)));

it.each([
  ['sandbox exec -- true'],
  ['lock sandbox -- true'],
  ['balances --jq .balances'],
  [`payouts batch ${home}/pay.csv --batch b$n`],
  ['certify client --only lost-after -- true'],
  ['events tail --no-follow --exec true'],
])('files: svc %s', async (line) => {
  // Below this Node itself does not begin.
  const script = `for n in $(seq 24 34); do ( ulimit -n $n; svc ${line} > out 2> errors; echo "$? $(tail -1 errors)" ); done`;
  const { stdout } = await shell(`cd ${home}; ${script}`, home);
  const ends = stdout.trim().split('\n');
  expect(ends).toHaveLength(11);
  for (const end of ends) {
    const [code = '', ...rest] = end.split(' ');
    // 19: the exam began, and its command did nothing.
    expect(['0', '16', '19'], end).toContain(code);
    expect(end).not.toContain('defect');
    if (code === '16')
      expect(JSON.parse(rest.join(' '))).toMatchObject({ error: { outcome: 'not_sent', exit_code: 16 } });
  }
  if (!line.startsWith('lock')) expect(ends.some((end) => end.startsWith('16 '))).toBe(true);
});
