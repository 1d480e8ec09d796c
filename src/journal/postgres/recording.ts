/** Puts a create into the shared book: of two machines with the same payment at once one is refused. */
import { isState, UNIQUE_VIOLATION } from '../../state/failures.js';
import { storable } from '../../state/sql.js';
import type { RecordOutcome } from '../journal.js';
import { precedenceOf, type PrecedenceOptions } from '../precedence.js';
import { type About, aboutOf, type KeptRequest, type Leaving, type OpenRequest } from '../request.js';
import { hidden, type JournalWorld, requestsWhere, sharedRequestOf, type SharedRecord } from './records.js';
import { RECORD_REQUEST, REOPEN_REQUEST, REQUESTS_LIKE } from './statements.js';

/** A sending of this process, by its token. */
interface SharedOutcome {
  readonly outcome: RecordOutcome;
  readonly token: string;
}

/**
 * What is put there was looked for while the count of requests was what it still is: else it is looked again. A commit whose answer was lost
 * knows itself by its token.
 */
export async function recordShared(
  leaving: Leaving,
  options: PrecedenceOptions,
  world: JournalWorld,
): Promise<SharedOutcome> {
  const about = aboutOf(leaving.endpoint, leaving.body);
  const token = world.newToken();
  const opened = (request: KeptRequest): OpenRequest => ({
    ...request,
    ...{ state: 'open', body: leaving.body, settled: null },
  });
  const outcome = await world.connection.patiently(async (): Promise<RecordOutcome> => {
    for (;;) {
      const { seen, found, isNew, mine } = await look(leaving, about, token, world);
      if (mine !== null) return { request: opened(mine), known: isNew ? null : mine.settled, isNew };
      const precedence = precedenceOf(leaving, about, found, options);
      if (precedence.kind === 'new') {
        const row = await inserted({ ...leaving, ...about }, token, seen, world);
        const request = { ...leaving, ...about, row: row ?? 0, state: 'open', settled: null } as const;
        if (row !== null) return { request, known: null, isNew: true };
      } else if (precedence.kind === 'repeats' || precedence.kind === 'known') {
        const { request } = precedence;
        // Whose key made an operation stays noted, whoever asks for it again.
        const { keyMask, keyPrint, address, origin } = precedence.kind === 'known' ? request : leaving;
        const again = { ...request, keyMask, keyPrint, address, origin, body: leaving.body };
        if (await reopened(again, token, 'as it was', world))
          return { request: opened(request), known: request.settled, isNew: false };
      } else return precedence;
    }
  });
  return { outcome, token };
}

/** One more sending of an open request; the way it was where it is gone meanwhile. */
export async function againShared(
  request: OpenRequest,
  world: JournalWorld,
): Promise<{ readonly request: OpenRequest; readonly token: string }> {
  const token = world.newToken();
  const sent = await world.connection.patiently(async (last): Promise<OpenRequest> => {
    const [mine] = last === null ? [] : await requestsWhere(world, 'r.token = $1', token);
    if (mine !== undefined) return { ...request, row: mine.row };
    if (await reopened(request, token, 'whatever it is', world)) return request;
    const row = await inserted(request, token, null, world);
    return { ...request, row: row ?? request.row };
  });
  return { request: sent, token };
}

interface Looked {
  /** How many requests there ever were. */
  readonly seen: number;
  readonly found: readonly KeptRequest[];
  /** What was written already, and not answered. */
  readonly mine: KeptRequest | null;
  readonly isNew: boolean;
}

async function look(
  leaving: Leaving,
  about: About,
  token: string,
  { connection, key }: JournalWorld,
): Promise<Looked> {
  const marks = [about.bodyMark, about.referenceMark].map((mark) =>
    mark === null ? null : Buffer.from(mark),
  );
  const values = [leaving.environment, leaving.idempotencyKey, ...marks];
  const { rows } = await connection.once<SharedRecord & { seen: number }>(REQUESTS_LIKE, values);
  // Where there is none the count stands alone.
  const records = rows.filter(({ token: its }) => typeof its === 'string');
  const isNew = records.some((record) => record.token === token);
  const mine = records.find((record) => record.token === token || token in record.sendings);
  return {
    seen: rows[0]?.seen ?? 0,
    found: records.map((record) => sharedRequestOf(record, key)),
    mine: mine === undefined ? null : sharedRequestOf(mine, key),
    isNew,
  };
}

/** Null where others have put something there since it was looked. @param seen null where that does not matter */
async function inserted(
  request: Leaving & About,
  token: string,
  seen: number | null,
  { connection, name, answerMs, key }: JournalWorld,
): Promise<number | null> {
  const bytes = (mark: Uint8Array | null): Buffer | null => (mark === null ? null : Buffer.from(mark));
  const values = [
    ...[seen, token, name, answerMs, request.idempotencyKey, request.isOwnKey, request.endpoint],
    ...[request.direction, request.environment, request.address, request.origin, request.path],
    ...[request.keyMask, request.keyPrint, bytes(request.referenceMark), bytes(request.bodyMark)],
    ...[bytes(request.twinMark), storable(request.amount), storable(request.currency)],
    ...[hidden(request.body, request, key), Math.round(request.firstLeftMs)],
  ];
  try {
    const { rows } = await connection.once<{ request: number }>(RECORD_REQUEST, values);
    return rows[0]?.request ?? null;
  } catch (error) {
    // An attempt whose answer was lost has come in between.
    if (isState(error, UNIQUE_VIOLATION)) return null;
    throw error;
  }
}

/** False where it is gone, or has become something since it was looked. */
async function reopened(
  request: Pick<KeptRequest, 'row' | 'settled' | 'keyMask' | 'keyPrint' | 'address' | 'origin'> & Leaving,
  token: string,
  when: 'as it was' | 'whatever it is',
  { connection, name, answerMs, key }: JournalWorld,
): Promise<boolean> {
  const values = [
    ...[request.row, token, name, answerMs, hidden(request.body, request, key)],
    ...[request.keyMask, request.keyPrint, request.address, request.origin],
    ...[when === 'as it was', request.settled?.operation ?? null],
  ];
  return (await connection.once(REOPEN_REQUEST, values)).count === 1;
}
