/**
 * What Node compiles of the program is kept for a run of the tests: each has a fresh home, and in that the program starts as on its first
 * day. `test/bin/code-cache.test.ts` tries the folder of a home.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder of it. */
    compiled: string;
  }
}

/** Runs before the first test, in the process of vitest. Returns what comes after the last one. */
export default function keepCompiledCode(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'svc-compiled-'));
  project.provide('compiled', folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
