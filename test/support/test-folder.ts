import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

/** A folder that goes with its test, or with the file of tests that made it for all of them. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Does it when the test that runs is over; where none runs yet, when all of the file are. */
export function atEnd(work: () => unknown): void {
  const done = async (): Promise<void> => {
    await work();
  };
  try {
    onTestFinished(done);
  } catch {
    afterAll(done);
  }
}
