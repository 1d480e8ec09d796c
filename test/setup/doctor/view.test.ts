import { expect, it } from 'vitest';
import { renderCheckUp } from '../../../src/setup/doctor/view.js';

const PATH = '/home/somebody/.local/share/a-folder-with-a-long-name/svc/sandbox/sandbox.db';

it.each([40, 60, 80, 120])('keeps a long path in one piece at %i columns', (width) => {
  const message = `Others may read or change ${PATH}.`;
  const lines = renderCheckUp(
    [
      { check: 'scope operaciones:leer', status: 'ok', message: 'the key has it', fix: null },
      { check: 'files', status: 'error', message, fix: `chmod 600 ${PATH}` },
    ],
    width,
  ).split('\n');
  expect(lines.filter((line) => line.includes(PATH))).toHaveLength(2);
  expect(lines.join(' ').replace(/\s+/g, ' ')).toContain(message);
  for (const line of lines.filter((one) => !one.includes(PATH)))
    expect(line.length).toBeLessThanOrEqual(width);
});
