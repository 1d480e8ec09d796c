import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Stage } from '../../scripts/safety/cuts.js';
import { canRecord } from '../../scripts/safety/trace.js';
import { testFolder } from '../support/test-folder.js';

async function record(scenario: string, source: string): Promise<string> {
  const folder = testFolder();
  const program = join(folder, 'program.mjs');
  writeFileSync(program, source);
  const stage = await Stage.open(scenario, { folder, program, facts: {} });
  try {
    return (await stage.record('cut', () => 0)).scenario;
  } finally {
    await stage.close();
  }
}

it.skipIf(!canRecord())('records a run that ends with 0, and no other', async () => {
  expect(await record('create shown', '')).toBe('create shown');
  await expect(record('create shown', "console.error('oh no'); process.exitCode = 1")).rejects.toThrow(
    'create shown: ended with 1 and not with 0: oh no',
  );
  await expect(record('create shown', "process.kill(process.pid, 'SIGKILL')")).rejects.toThrow(
    'create shown: ended with null and not with 0',
  );
});

it.skipIf(!canRecord())('sees that one of two at once breaks off', async () => {
  await expect(
    record('two at once', "process.exitCode = process.argv.includes('two') ? 7 : 0"),
  ).rejects.toThrow('two at once: ended with 7 and not with 0');
});
