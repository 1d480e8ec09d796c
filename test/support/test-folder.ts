import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

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
