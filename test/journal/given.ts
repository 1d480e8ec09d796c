/** Creates that are about to leave, and journals, for tests. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Journal, Recorded } from '../../src/journal/journal.js';
import type { PrecedenceOptions } from '../../src/journal/precedence.js';
import type { Leaving } from '../../src/journal/request.js';
import { openJournal } from '../../src/journal/sqlite-journal.js';

export const NOW_MS = Date.parse('2026-09-23T15:00:00Z');
export const HOUR_MS = 3_600_000;

/** A create with its own key; nothing about a reference unless the body says so. */
export function leaving(changes: Partial<Leaving> = {}): Leaving {
  return {
    idempotencyKey: 'key-00000001',
    isOwnKey: true,
    endpoint: 'payouts.create',
    environment: 'sandbox',
    address: 'https://api.example.com/sandbox',
    origin: 'https://api.example.com',
    path: '/v2/payouts',
    body: body({ amount: '10.00' }),
    keyMask: 'svc_test_...1a2b',
    keyPrint: 'print-1',
    firstLeftMs: NOW_MS,
    ...changes,
  };
}

export function body(members: Readonly<Record<string, unknown>>): Buffer {
  return Buffer.from(JSON.stringify(members));
}

/** How a create is looked at, at this moment of the service's time. */
export function at(nowMs: number, isNewPayment = false): PrecedenceOptions {
  return { isNewPayment, ageMs: (serviceMs) => nowMs - serviceMs };
}

/** Puts it into the book. @throws Error where something stands in its way */
export async function recorded(
  journal: Journal,
  changes: Partial<Leaving> = {},
  options = at(NOW_MS),
): Promise<Recorded> {
  const outcome = await journal.record(leaving(changes), options);
  if ('kind' in outcome) throw new Error(`it may not leave: ${outcome.kind}`);
  return outcome;
}

/** A folder that goes with the test. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'svc-journal-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** A journal that goes with the test. */
export function opened(file = join(folder(), 'requests.db')): { journal: Journal; file: string } {
  const journal = openJournal(file);
  return { journal, file };
}
