/** Intents and journals for tests. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Intent } from '../../src/journal/intent.js';

export const NOW_MS = Date.parse('2026-09-23T15:00:00Z');
export const HOUR_MS = 3_600_000;

export function intent(changes: Partial<Intent> = {}): Intent {
  return {
    idempotencyKey: 'key-00000001',
    endpoint: 'payouts.create',
    environment: 'sandbox',
    address: 'https://api.example.com/sandbox',
    path: '/v2/payouts',
    body: Buffer.from('{"amount":"10.00"}'),
    keyMask: 'svc_test_...1a2b',
    createdAtMs: NOW_MS,
    ...changes,
  };
}

/** A folder that goes with the test. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'svc-journal-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
