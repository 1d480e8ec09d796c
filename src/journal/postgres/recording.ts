/** Puts a create into the shared book: of two machines with the same payment at once one is refused. */
import { isState, UNIQUE_VIOLATION } from '../../state/failures.js';
import { storable } from '../../state/sql.js';
import type { RecordOutcome } from '../journal.js';
import { precedenceOf, type PrecedenceOptions } from '../precedence.js';
import type { KeptRequest, Leaving } from '../request.js';
import { recordedCells } from '../records.js';
import { JOIN_REQUEST, RECORD_REQUEST } from './changes.js';
import { hidden, type JournalWorld, sharedRequestOf, type SharedRequest } from './records.js';
import { REQUESTS_LIKE } from './statements.js';

/** What came of it, and the token by which this process is known there. */
interface SharedOutcome {
  readonly outcome: RecordOutcome;
  readonly token: string;
}

/**
 * What is put there was looked for while the count of requests was what it still is: else it is looked again. Whoever has not heard that its
 * commit was done finds the same request there, and joins it by the token that it has already.
 */
export async function recordShared(
  leaving: Leaving,
  options: PrecedenceOptions,
  world: JournalWorld,
): Promise<SharedOutcome> {
  const token = world.newToken();
  const { body } = leaving;
  const outcome = await world.connection.patiently(async (): Promise<RecordOutcome> => {
    for (;;) {
      const { seen, found } = await look(leaving, world);
      const precedence = precedenceOf(leaving, found, options);
      if (precedence.kind === 'new') {
        const request = await recorded(leaving, token, seen, world);
        if (request !== null) return { request, known: null, isNew: true };
      } else if (precedence.kind === 'joins') {
        const { request } = precedence;
        const values = [request.row, token, world.name, world.answerMs];
        if ((await world.connection.once(JOIN_REQUEST, values)).count === 1)
          return { request: { ...request, body }, known: null, isNew: true };
      } else if (precedence.kind === 'repeats' || precedence.kind === 'known') {
        const { request } = precedence;
        return { request: { ...request, body }, known: request.settled, isNew: false };
      } else return precedence;
    }
  });
  return { outcome, token };
}

interface Looked {
  /** How many requests there ever were. */
  readonly seen: number;
  readonly found: readonly KeptRequest[];
}

async function look(
  { environment, idempotencyKey }: Leaving,
  { connection, key }: JournalWorld,
): Promise<Looked> {
  const values = [environment, idempotencyKey];
  const { rows } = await connection.once<SharedRequest & { seen: number }>(REQUESTS_LIKE, values);
  // Where there is none the count stands alone.
  const records = rows.filter(({ token: its }) => typeof its === 'string');
  return { seen: rows[0]?.seen ?? 0, found: records.map((record) => sharedRequestOf(record, key)) };
}

/** Null where others have put something there since it was looked. */
async function recorded(
  request: Leaving,
  token: string,
  seen: number,
  world: JournalWorld,
): Promise<KeptRequest | null> {
  try {
    const [there] = await insert(request, null, token, seen, world);
    if (there === undefined) return null;
    const facts = { state: 'recorded', sendings: 0, settled: null, left: null, mayNotRepeat: false } as const;
    return { ...request, ...facts, row: there.request, firstLeftMs: there.recorded_at };
  } catch (error) {
    // An attempt whose answer was lost has come in between.
    if (isState(error, UNIQUE_VIOLATION)) return null;
    throw error;
  }
}

/** Puts back what had left, and was forgotten by a server that took over. @returns its row */
export async function putBack(
  request: KeptRequest & { readonly body: Uint8Array },
  token: string,
  world: JournalWorld,
): Promise<number> {
  return world.connection.patiently(async () => {
    try {
      const [there] = await insert(request, request.left, token, null, world);
      return there?.request ?? request.row;
    } catch (error) {
      if (!isState(error, UNIQUE_VIOLATION)) throw error;
      const { rows } = await world.connection.once<{ request: number }>(ROW_OF_TOKEN, [token]);
      return rows[0]?.request ?? request.row;
    }
  });
}

const ROW_OF_TOKEN = 'SELECT request FROM svc.requests WHERE token = $1';

/** @param left null for what has not @param seen null where it does not matter what others have put there */
async function insert(
  request: Leaving,
  left: KeptRequest['left'],
  token: string,
  seen: number | null,
  { connection, name, answerMs, key }: JournalWorld,
): Promise<readonly { readonly request: number; readonly recorded_at: number }[]> {
  const values = [
    ...[seen, token, name, answerMs, ...recordedCells(request, storable)],
    ...[hidden(request.body, request, key), left !== null, ...momentOf(left)],
  ];
  return (await connection.once<{ request: number; recorded_at: number }>(RECORD_REQUEST, values)).rows;
}

/** As statements take it. */
export function momentOf(left: KeptRequest['left']): readonly (number | string | null)[] {
  if (left === null) return [null, null, null, null];
  return [wholeMs(left.serviceMs), wholeMs(left.wallMs), left.bootId, wholeMs(left.bootMs)];
}

export function wholeMs(ms: number | null | undefined): number | null {
  return ms === undefined || ms === null ? null : Math.round(ms);
}
