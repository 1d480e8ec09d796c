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
  // With fewer than 24 descriptors Node itself does not start.
  const script = `for n in $(seq 24 34); do ( ulimit -n $n; svc ${line} > out 2> errors; echo "$? $(tail -1 errors)" ); done`;
  const { stdout } = await shell(`cd ${home}; ${script}`, home);
  const ends = stdout.trim().split('\n');
  expect(ends).toHaveLength(11);
  for (const end of ends) {
    const [code = '', ...rest] = end.split(' ');
    // 19 is right too: the exam began, but its command did nothing.
    expect(['0', '16', '19'], end).toContain(code);
    expect(end).not.toContain('defect');
    if (code === '16')
      expect(JSON.parse(rest.join(' '))).toMatchObject({ error: { outcome: 'not_sent', exit_code: 16 } });
  }
  if (!line.startsWith('lock')) expect(ends.some((end) => end.startsWith('16 '))).toBe(true);
});
