/**
 * The log of requests and answers. An entry stays in memory until the next commit writes it, or until somebody reads the log. Secrets are
 * masked before an entry is written.
 */
import type { EndpointId } from '../../contract/endpoints.js';
import type { SandboxAnswer, SandboxRequest } from '../message.js';
import { REQUESTS_KEPT, type NewRequest, type Requests } from '../store/requests.js';
import { BODY_KEPT_BYTES, maskCode, maskText, shownBody, shownHeaders } from './sides.js';

/** What a request meets on its way, beside what goes in and comes out. Filled in where it is known. */
export interface Note {
  /** Sandbox time in ms, where it was asked already. */
  atMs: number | null;
  endpoint: EndpointId | null;
  /** Its name. */
  company: string | null;
  fault: string | null;
  /** A create that was answered with the operation of an earlier one. */
  replayed: boolean;
  /** Why, in a sentence. */
  refused: string | null;
  /** The uuid of the operation that it is about. */
  operation: string | null;
}

export function blankNote(): Note {
  return {
    atMs: null,
    endpoint: null,
    company: null,
    fault: null,
    replayed: false,
    refused: null,
    operation: null,
  };
}

/** One exchange, as it happened. */
export interface Exchanged {
  readonly request: SandboxRequest;
  readonly answer: SandboxAnswer;
  readonly note: Note;
  readonly atMs: number;
  readonly wallMs: number;
  readonly tookMs: number;
}

/** Requests that only read wait for a commit that is made anyway; not for ever. */
const WAITING_MAX = 200;
const PATH_MAX_CHARACTERS = 4096;

/** @param isInMemory whether the store is: there a thousand are kept as they are, and written when somebody looks */
export function requestLogOf(requests: Requests, isInMemory: boolean) {
  let waiting: Exchanged[] = [];
  let missed = 0;
  return {
    add(exchanged: Exchanged): void {
      const { request } = exchanged;
      // A body of a megabyte waits for nobody. One byte more than is kept, so that it is seen to be cut.
      const body =
        request.body.length <= BODY_KEPT_BYTES
          ? request.body
          : Buffer.from(request.body.subarray(0, BODY_KEPT_BYTES + 1));
      waiting.push({ ...exchanged, request: { ...request, body } });
      if (waiting.length < 2 * REQUESTS_KEPT) return;
      missed += waiting.length - REQUESTS_KEPT;
      waiting = waiting.slice(-REQUESTS_KEPT);
    },
    /** As the store: what waits is not lost before the store is. */
    isInMemory,
    /** Whether so much waits that it is written though nothing else is. */
    isFull: () => waiting.length >= WAITING_MAX,
    isWaiting: () => waiting.length > 0,
    /** Writes what waits. Within a transaction of the store. */
    write(): void {
      if (waiting.length === 0) return;
      const kept = waiting.slice(-REQUESTS_KEPT);
      requests.add(kept.map(rendered), missed + waiting.length - kept.length);
      waiting = [];
      missed = 0;
    },
    /** Drops what waits. */
    clear(): void {
      waiting = [];
    },
    /**
     * What waits now; `restore` puts it back when the transaction was undone. A list only grows until another takes its place: its length
     * is all that has to be known, whatever waits.
     */
    mark() {
      const [list, length, before] = [waiting, waiting.length, missed];
      return {
        restore: (): void => {
          list.length = length;
          [waiting, missed] = [list, before];
        },
      };
    },
  };
}

export type RequestLog = ReturnType<typeof requestLogOf>;

function rendered({ request, answer, note, atMs, wallMs, tookMs }: Exchanged): NewRequest {
  const { interference } = answer;
  const isCut = interference !== null && interference.kind !== 'delay';
  const heldMs = interference?.kind === 'delay' ? interference.delayMs : 0;
  const isConfirm = note.endpoint === 'payins.confirm';
  const sent = isConfirm ? maskCode(request.body) : request.body;
  // A reader of JSON may quote what it could not read: a code too.
  const refused = isConfirm ? note.refused?.replace(/[0-9]{4,}/g, '...') : note.refused;
  const side = (headers: Iterable<readonly [name: string, value: string]>, body: Uint8Array): string =>
    JSON.stringify({ headers: shownHeaders(headers), ...shownBody(body, BODY_KEPT_BYTES) });
  const key = request.headers.find(([name]) => name.toLowerCase() === 'idempotency-key')?.[1];
  return {
    at: atMs,
    wall_at: wallMs,
    method: request.method.slice(0, PATH_MAX_CHARACTERS),
    path: maskText(request.target).slice(0, PATH_MAX_CHARACTERS),
    endpoint: note.endpoint,
    company: note.company,
    status: isCut ? null : answer.status,
    ms: Math.round((tookMs + heldMs) * 100) / 100,
    idempotency_key: key === undefined ? null : maskText(key).slice(0, PATH_MAX_CHARACTERS),
    replayed: note.replayed,
    fault: note.fault,
    refused: refused === undefined || refused === null ? null : maskText(refused),
    operation: note.operation,
    request: side(request.headers, sent),
    // Nothing went out where the connection was cut before the request was carried out.
    answer:
      interference?.kind === 'drop-before'
        ? '{"headers":{},"body":""}'
        : side(Object.entries(answer.headers), answer.body),
  };
}
