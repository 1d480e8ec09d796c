import type { TimeAnchor } from '../../../contract/moment.js';
import { hasSqlState, UNIQUE_VIOLATION } from '../../postgres/failures.js';
import { storableText } from '../../postgres/sql.js';
import { wholeMs } from '../../tables/column-tables.js';
import type { Departure, RecordOutcome } from '../journal.js';
import { precedenceOf, type PrecedenceOptions } from '../precedence.js';
import { type JournalRequest, knownOperation, type UnsentRequest, type OpenRequest } from '../request.js';
import { recordedCells, recordedRequest } from '../records.js';
import { CLEAR_REQUEST, JOIN_REQUEST, RECORD_REQUEST } from './changes.js';
import {
  encryptBody,
  type JournalWorld,
  REQUESTS_LIKE,
  sharedRequestOf,
  type SharedRequest,
} from './reads.js';

/** Searches again if another process recorded a request meanwhile, because both could pay the same reference. */
export async function recordShared(
  unsent: UnsentRequest,
  options: PrecedenceOptions,
  world: JournalWorld,
): Promise<{ readonly outcome: RecordOutcome; readonly token: string }> {
  const token = world.newToken();
  const { body, environment, idempotencyKey } = unsent;
  const outcome = await world.connection.runPatiently(async (): Promise<RecordOutcome> => {
    for (;;) {
      const searchValues = [environment, idempotencyKey];
      const { rows } = await world.connection.runOnce<SharedRequest & { seen: number }>(
        REQUESTS_LIKE,
        searchValues,
      );
      const records = rows.filter(({ token: itsToken }) => typeof itsToken === 'string');
      const foundRequests = records.map((record) => sharedRequestOf(record, world.key));
      const precedence = precedenceOf(unsent, foundRequests, options);
      if (precedence.kind === 'new') {
        const request = await insertIfUnseen(unsent, token, rows[0]?.seen ?? 0, world);
        if (request !== null) return { request, settlement: null, isNew: true };
      } else if (precedence.kind === 'joins') {
        const { request } = precedence;
        const values = [request.row, token, world.name, world.answerMs];
        if ((await world.connection.runOnce(JOIN_REQUEST, values)).count === 1)
          return { request: { ...request, body }, settlement: null, isNew: true };
      } else if (precedence.kind === 'repeats' || precedence.kind === 'known') {
        const { request } = precedence;
        return { request: { ...request, body }, settlement: knownOperation(request), isNew: false };
      } else return precedence;
    }
  });
  return { outcome, token };
}

async function insertIfUnseen(
  request: UnsentRequest,
  token: string,
  seen: number,
  world: JournalWorld,
): Promise<JournalRequest | null> {
  try {
    const [newRow] = await insertRow(request, token, null, seen, world);
    if (newRow === undefined) return null;
    return recordedRequest(request, newRow.request, newRow.recorded_at);
  } catch (error) {
    if (hasSqlState(error, UNIQUE_VIOLATION)) return null;
    throw error;
  }
}

export async function reinsert(
  request: JournalRequest & { readonly body: Uint8Array },
  token: string,
  world: JournalWorld,
): Promise<number> {
  return world.connection.runPatiently(async () => {
    try {
      const [newRow] = await insertRow(request, token, request.left, null, world);
      return newRow?.request ?? request.row;
    } catch (error) {
      if (!hasSqlState(error, UNIQUE_VIOLATION)) throw error;
      const sql = 'SELECT request FROM svc.requests WHERE token = $1';
      const { rows } = await world.connection.runOnce<{ request: number }>(sql, [token]);
      return rows[0]?.request ?? request.row;
    }
  });
}

async function insertRow(
  request: UnsentRequest,
  token: string,
  left: JournalRequest['left'],
  seen: number | null,
  { connection, name, answerMs, key }: JournalWorld,
): Promise<readonly { readonly request: number; readonly recorded_at: number }[]> {
  const values = [
    ...[seen, token, name, answerMs, left !== null, ...momentValues(left)],
    ...[...recordedCells(request, storableText), encryptBody(request.body, request, key)],
  ];
  return (await connection.runOnce<{ request: number; recorded_at: number }>(RECORD_REQUEST, values)).rows;
}

function momentValues(left: JournalRequest['left']): readonly (number | string | null)[] {
  if (left === null) return [null, null, null, null];
  return [wholeMs(left.serviceMs), wholeMs(left.wallMs), left.bootId, wholeMs(left.bootMs)];
}

export async function clearShared(
  request: JournalRequest,
  { left, sender, predecessor, anchor }: Departure,
  token: string,
  world: JournalWorld,
): Promise<OpenRequest | null> {
  const { body } = request;
  if (body === null) return null;
  const values = [
    ...[request.row, token, world.name, world.answerMs, ...stateValues(request)],
    encryptBody(body, request, world.key),
    ...[sender.keyMask, sender.keyPrint, sender.address, sender.origin],
    ...momentValues(left),
    ...[
      predecessor?.row ?? null,
      ...(predecessor === undefined ? NO_STATE_VALUES : stateValues(predecessor)),
      predecessor?.sendings ?? null,
    ],
    ...anchorParameters(anchor),
  ];
  const [clearedRow] = (await world.connection.run<{ left_at: number }>(CLEAR_REQUEST, values)).rows;
  if (clearedRow === undefined) return null;
  const firstMoment = request.left ?? { ...left, sharedMs: clearedRow.left_at };
  const facts = { ...sender, state: 'open', sendings: request.sendings + 1, body } as const;
  return {
    ...request,
    ...facts,
    left: firstMoment,
    firstLeftMs: firstMoment.serviceMs ?? firstMoment.wallMs,
  };
}

const NO_STATE_VALUES = [null, null, null, null, null, null] as const;

function stateValues({ idempotencyKey, state, mayNotRepeat, settled }: JournalRequest): readonly unknown[] {
  const isInState = (...states: readonly JournalRequest['state'][]): boolean => states.includes(state);
  return [
    ...[idempotencyKey, isInState('recorded'), isInState('settled'), isInState('forgotten')],
    ...[mayNotRepeat, settled?.operation ?? null],
  ];
}

export function anchorParameters(anchor: TimeAnchor | null | undefined): readonly (string | number | null)[] {
  if (anchor === null || anchor === undefined) return [null, null, null];
  return [anchor.bootId, wholeMs(anchor.bootMs), wholeMs(anchor.serviceMs)];
}
