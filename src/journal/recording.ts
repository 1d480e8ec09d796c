/** Records and clears a create in the file of the journal, unless another one blocks it. Each is checked in the transaction that writes it. */
import type { Clock } from '../runtime/clock.js';
import type { Database } from '../runtime/database.js';
import type { ProcessName, Processes } from '../runtime/processes.js';
import type { TimeAnchor } from '../contract/moment.js';
import type { Clearing, RecordOutcome } from './journal.js';
import { isSamePayment, precedenceOf, type PrecedenceOptions } from './precedence.js';
import type { KeptRequest, Leaving, OpenRequest } from './request.js';
import { clearRow, insertRequest, noteTimeOfRow, selectRequests, selectTime, selectTwins } from './rows.js';

export interface RecordingWorld {
  readonly processes: Processes;
  readonly clock: Pick<Clock, 'now'>;
}

export function record(
  db: Database,
  leaving: Leaving,
  options: PrecedenceOptions,
  world: RecordingWorld,
): RecordOutcome {
  bury(db, world);
  const precedence = precedenceOf(leaving, candidates(db, leaving), options);
  const [self, nowMs] = [world.processes.self(), world.clock.now()];
  switch (precedence.kind) {
    case 'new': {
      const request = insertRequest(db, leaving, withOwner('[]', self, nowMs), Math.round(nowMs));
      return { request, known: null, isNew: true };
    }
    case 'joins': {
      const { request } = precedence;
      const owners = withOwner(ownersOf(db, request.row), self, nowMs);
      db.run('UPDATE requests SET owners = ? WHERE row = ?', owners, request.row);
      return { request: { ...request, body: leaving.body }, known: null, isNew: true };
    }
    case 'repeats':
    case 'known': {
      const request = { ...precedence.request, body: leaving.body };
      return { request, known: request.settled, isNew: false };
    }
    default:
      return precedence;
  }
}

/** Records and clears in one commit; null when the journal must be checked first, or the request may not leave yet. */
export function leave(
  db: Database,
  leaving: Leaving,
  clearingAt: (newest: TimeAnchor | null) => Clearing | null,
  world: RecordingWorld & { readonly bootId: string },
): OpenRequest | null {
  bury(db, world);
  const others = [...candidates(db, leaving), ...selectTwins(db, leaving)];
  const isRival = (other: KeptRequest): boolean =>
    other.idempotencyKey === leaving.idempotencyKey ||
    (other.state !== 'settled' && isSamePayment(leaving, other));
  if (others.some(isRival)) return null;
  const clearing = clearingAt(selectTime(db, leaving, world.bootId));
  if (clearing === null) return null;
  return left(db, insertRequest(db, leaving, '[]', Math.round(world.clock.now())), clearing);
}

/** Null where it is not what it was. */
export function clear(db: Database, request: KeptRequest, clearing: Clearing): OpenRequest | null {
  const { over } = clearing;
  if (request.body === null || !isAsItWas(db, request)) return null;
  if (over !== undefined) {
    if (!isAsItWas(db, over, 'and nothing of it was sent')) return null;
    db.run('UPDATE requests SET may_not_repeat = 1 WHERE row = ?', over.row);
  }
  return left(db, request, clearing);
}

function left(db: Database, request: KeptRequest, clearing: Clearing): OpenRequest | null {
  clearRow(db, request, clearing);
  noteTimeOfRow(db, request.row, clearing.anchor);
  const [open] = selectRequests(db, 'row = ?', request.row);
  return open?.state === 'open' && open.body !== null ? { ...open, state: 'open', body: open.body } : null;
}

/** True where what was decided about it still holds. */
function isAsItWas(db: Database, was: KeptRequest, also?: 'and nothing of it was sent'): boolean {
  const [is] = selectRequests(db, 'row = ?', was.row);
  return (
    is?.idempotencyKey === was.idempotencyKey &&
    is.state === was.state &&
    is.settled?.operation === was.settled?.operation &&
    is.mayNotRepeat === was.mayNotRepeat &&
    (also === undefined || is.sendings === was.sendings)
  );
}

export function release(db: Database, row: number, { processes }: RecordingWorld): void {
  const owners = withoutOwner(ownersOf(db, row), processes.self());
  if (owners === null) db.run('DELETE FROM requests WHERE row = ? AND left_wall_at IS NULL', row);
  else db.run('UPDATE requests SET owners = ? WHERE row = ? AND left_wall_at IS NULL', owners, row);
}

/** What was recorded has its bytes: so it is found among the few that have. */
const IS_RECORDED = 'body IS NOT NULL AND left_wall_at IS NULL';

/** Removes what was recorded, and whose processes are gone: it never left, and never will. */
export function bury(db: Database, { processes, clock }: RecordingWorld): void {
  const recorded = db
    .query<{ row: number; owners: string }>(`SELECT row, owners FROM requests WHERE ${IS_RECORDED}`)
    .all();
  for (const { row, owners } of recorded)
    if (!isOwned(owners, processes, clock.now())) db.run('DELETE FROM requests WHERE row = ?', row);
}

function ownersOf(db: Database, row: number): string {
  return db.query<{ owners: string }>('SELECT owners FROM requests WHERE row = ?').get(row)?.owners ?? '[]';
}

/** Requests that may block a create, in the order of the journal. */
function candidates(db: Database, { idempotencyKey, environment }: Leaving): KeptRequest[] {
  const keyed = selectRequests(db, 'idempotency_key = ? AND environment = ?', idempotencyKey, environment);
  const recorded = selectRequests(db, `${IS_RECORDED} AND environment = ?`, environment);
  const found = new Map([...keyed, ...recorded].map((request) => [request.row, request]));
  return [...found.values()].sort((a, b) => a.row - b.row);
}

/** A process, and when it recorded the request by this machine's clock. */
interface Owner extends ProcessName {
  readonly at: number;
}

/** After this time a process counts as dead when nothing shows that it lives. It must then record its request again. */
const UNSEEN_MS = 10 * 60_000;

/** With this process among them. @param owners as they are kept */
export function withOwner(owners: string, process: ProcessName, nowMs: number): string {
  const others = ownersIn(owners).filter((owner) => !isSame(owner, process));
  return JSON.stringify([...others, { ...process, at: Math.round(nowMs) }]);
}

/** Without it; null where nobody is left. */
export function withoutOwner(owners: string, process: ProcessName): string | null {
  const others = ownersIn(owners).filter((owner) => !isSame(owner, process));
  return others.length === 0 ? null : JSON.stringify(others);
}

/** True where one of them may still let it leave. */
export function isOwned(owners: string, processes: Processes, nowMs: number): boolean {
  return ownersIn(owners).some((owner) => {
    const lives = processes.lives(owner);
    // A clock that was set back says nothing either.
    return lives ?? Math.abs(nowMs - owner.at) <= UNSEEN_MS;
  });
}

function ownersIn(owners: string): Owner[] {
  return JSON.parse(owners) as Owner[];
}

function isSame(a: ProcessName, b: ProcessName): boolean {
  return a.machine === b.machine && a.bootId === b.bootId && a.pid === b.pid && a.started === b.started;
}
