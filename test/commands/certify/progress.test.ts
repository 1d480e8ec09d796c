/** The bar of an exam stays in one line of its terminal, however narrow that is. */
import { expect, it, onTestFinished } from 'vitest';
import { caseProgress } from '../../../src/commands/certify/progress.js';
import { world } from '../../support/svc.js';

it.each([60, 20])('is no wider than a terminal of %i columns', async (columns) => {
  const home = world();
  onTestFinished(() => home.remove());
  const shown: string[] = [];
  const errors = {
    ...home.ports.errors,
    isTTY: true,
    columns,
    write: (text: string) => Promise.resolve(void shown.push(text)),
  };
  const progress = caseProgress({ ...home.ports, errors, env: { TERM: 'xterm' } }, { quiet: false }, 4);
  progress.begin('lost-after-4:payins.create-c3c6d2f0');
  await progress.end();
  const [line = ''] = shown;
  expect(line.startsWith('\r\u001B[K [#######')).toBe(true);
  expect(line.slice(4)).toHaveLength(columns - 1);
});
