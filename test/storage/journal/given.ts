import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { ageOf, type Moment } from '../../../src/contract/moment.js';
import type {
  Departure,
  Journal,
  RecordedRequest,
  RecordOutcome,
} from '../../../src/storage/journal/journal.js';
import type { PrecedenceOptions } from '../../../src/storage/journal/precedence.js';
import { bodyMembersOf } from '../../../src/client/request.js';
import {
  subjectOf,
  type JournalRequest,
  type UnsentRequest,
  type OpenRequest,
  type SettledRequest,
} from '../../../src/storage/journal/request.js';
import { openJournal } from '../../../src/storage/journal/sqlite-journal.js';
import type { Processes, ProcessName } from '../../../src/runtime/processes.js';
import { testFolder } from '../../support/test-folder.js';

export const NOW_MS = Date.parse('2026-09-23T15:00:00Z');
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

export function leaving(changes: Partial<UnsentRequest> = {}): UnsentRequest {
  const create = {
    ...{ idempotencyKey: 'key-00000001', isOwnKey: true, follows: null, generation: null, sinceMs: null },
    ...{ endpoint: 'payouts.create' as const, path: '/v2/payouts', environment: 'sandbox' as const },
    ...{ address: 'https://api.example.com/sandbox', origin: 'https://api.example.com' },
    ...{ body: body({ amount: '10.00' }), keyMask: 'svc_test_...1a2b', keyPrint: 'print-1' },
    ...changes,
  };
  return { ...create, ...subjectOf(create.endpoint, create.body, bodyMembersOf(create.body)) };
}

export function body(members: Readonly<Record<string, unknown>>): Buffer {
  return Buffer.from(JSON.stringify(members));
}

export function other(key: string): Partial<UnsentRequest> {
  return { idempotencyKey: key, body: body({ amount: '10.00', metadata: { key } }) };
}

export function settled(changes: Partial<SettledRequest> = {}): SettledRequest {
  return { operation: 'operation-1', status: 'confirmed', createdAtMs: null, ...changes };
}

export function moment(ms: number, changes: Partial<Moment> = {}): Moment {
  return { serviceMs: ms, wallMs: ms, bootId: 'boot-1', bootMs: ms - NOW_MS + 400 * DAY_MS, ...changes };
}

export function looked(
  { keyPrint, origin }: Pick<UnsentRequest, 'keyPrint' | 'origin'>,
  nowMs: number,
): PrecedenceOptions {
  return {
    ageOf: (then, sharedMs) => ageOf(then, moment(nowMs, { sharedMs })),
    companyOf: (there) => {
      if (there.keyPrint === keyPrint && there.origin === origin) return 'same';
      const isElsewhere = (print: string): boolean => print.startsWith('other');
      return isElsewhere(there.keyPrint) === isElsewhere(keyPrint) ? 'unknown' : 'other';
    },
  };
}

export function tried(
  journal: Journal,
  changes: Partial<UnsentRequest> = {},
  nowMs = NOW_MS,
): Promise<RecordOutcome> {
  const create = leaving(changes);
  return journal.record(create, looked(create, nowMs));
}

interface In {
  readonly journal: Journal;
}

export async function recorded(
  journal: Journal,
  changes: Partial<UnsentRequest> = {},
  nowMs = NOW_MS,
): Promise<RecordedRequest & In> {
  const outcome = await tried(journal, changes, nowMs);
  if ('kind' in outcome) throw new Error(`it may not be recorded: ${outcome.kind}`);
  return { ...outcome, journal };
}

export function cleared(
  journal: Journal,
  request: JournalRequest,
  changes: Partial<Departure> = {},
): Promise<OpenRequest | null> {
  return journal.clear(request, { left: moment(NOW_MS), sender: request, ...changes });
}

export async function sent(
  journal: Journal,
  changes: Partial<UnsentRequest> = {},
  leftMs = NOW_MS,
): Promise<RecordedRequest & In & { readonly request: OpenRequest }> {
  const { request, settlement, isNew } = await recorded(journal, changes, leftMs);
  const open = await cleared(journal, request, { left: moment(leftMs) });
  if (open === null) throw new Error('it may not leave');
  return { request: open, settlement, isNew, journal };
}

export class GivenProcesses {
  readonly #dead = new Set<number>();

  seenBy(pid: number, machine = 'laptop'): Processes {
    return {
      self: () => processName(pid, machine),
      isAlive: (process: ProcessName) => (process.machine === machine ? !this.#dead.has(process.pid) : null),
    };
  }

  kill(pid: number): void {
    this.#dead.add(pid);
  }
}

export function processName(pid: number, machine = 'laptop'): ProcessName {
  return { machine, bootId: 'boot-1', pid, started: String(1000 + pid) };
}

export function opened(file = join(testFolder(), 'requests.db')): { journal: Journal; file: string } {
  const journal = openedBy(file, new GivenProcesses().seenBy(1));
  onTestFinished(() => journal.close());
  return { journal, file };
}

export function openedBy(file: string, processes: Processes, now: () => number = () => NOW_MS): Journal {
  return openJournal(file, { processes, clock: { now } });
}
