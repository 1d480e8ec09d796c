import type { EndpointId } from '../../contract/endpoints.js';
import type { SandboxAnswer, SandboxRequest } from '../message.js';
import { REQUESTS_KEPT, type NewRequest, type Requests } from '../store/requests.js';
import { BODY_KEPT_BYTES, maskCode, maskText, formatBody, formatHeaders } from './sides.js';

export class RequestNote {
  atMs: number | null = null;
  endpoint: EndpointId | null = null;
  company: string | null = null;
  fault: string | null = null;
  isReplayed = false;
  refusalText: string | null = null;
  operation: string | null = null;
}

export interface ExchangeRecord extends Readonly<Record<'atMs' | 'wallMs' | 'tookMs', number>> {
  readonly request: SandboxRequest;
  readonly answer: SandboxAnswer;
  readonly note: RequestNote;
}

const WAITING_MAX = 200;
const PATH_MAX_CHARACTERS = 4096;

export function requestLogOf(requests: Requests, isInMemory: boolean) {
  let entries: ExchangeRecord[] = [];
  let droppedCount = 0;
  return {
    add(exchange: ExchangeRecord): void {
      const { request } = exchange;
      const { body } = request;
      // One byte more than `BODY_KEPT_BYTES` shows that the body was cut.
      const isLarge = body.length > BODY_KEPT_BYTES;
      const keptBody = isLarge ? Buffer.from(body.subarray(0, BODY_KEPT_BYTES + 1)) : body;
      entries.push({ ...exchange, request: { ...request, body: keptBody } });
      if (entries.length < 2 * REQUESTS_KEPT) return;
      droppedCount += entries.length - REQUESTS_KEPT;
      entries = entries.slice(-REQUESTS_KEPT);
    },
    isInMemory,
    isFull: () => entries.length >= WAITING_MAX,
    hasEntries: () => entries.length > 0,
    write(): void {
      if (entries.length === 0) return;
      const newestEntries = entries.slice(-REQUESTS_KEPT);
      requests.add(newestEntries.map(formatEntry), droppedCount + entries.length - newestEntries.length);
      entries = [];
      droppedCount = 0;
    },
    clear(): void {
      entries = [];
      droppedCount = 0;
    },
    savepoint() {
      const [list, length, oldDropped] = [entries, entries.length, droppedCount];
      return {
        restore: (): void => {
          list.length = length;
          [entries, droppedCount] = [list, oldDropped];
        },
      };
    },
  };
}

export type RequestLog = ReturnType<typeof requestLogOf>;

function formatEntry({ request, answer, note, atMs, wallMs, tookMs }: ExchangeRecord): NewRequest {
  const { interference } = answer;
  const isCut = interference !== null && interference.kind !== 'delay';
  const delayMs = interference?.kind === 'delay' ? interference.delayMs : 0;
  const isConfirm = note.endpoint === 'payins.confirm';
  const loggedBody = isConfirm ? maskCode(request.body) : request.body;
  // The refusal may quote the code from the body.
  const refusal = isConfirm ? note.refusalText?.replace(/[0-9]{4,}/g, '...') : note.refusalText;
  const formatSide = (headers: Iterable<readonly [name: string, value: string]>, body: Uint8Array): string =>
    JSON.stringify({ headers: formatHeaders(headers), ...formatBody(body, BODY_KEPT_BYTES) });
  const key = request.headers.find(([name]) => name.toLowerCase() === 'idempotency-key')?.[1];
  return {
    at: atMs,
    wall_at: wallMs,
    method: request.method.slice(0, PATH_MAX_CHARACTERS),
    path: maskText(request.target).slice(0, PATH_MAX_CHARACTERS),
    endpoint: note.endpoint,
    company: note.company,
    status: isCut ? null : answer.status,
    ms: Math.round((tookMs + delayMs) * 100) / 100,
    idempotency_key: key === undefined ? null : maskText(key).slice(0, PATH_MAX_CHARACTERS),
    replayed: note.isReplayed,
    fault: note.fault,
    refused: refusal === undefined || refusal === null ? null : maskText(refusal),
    operation: note.operation,
    request: formatSide(request.headers, loggedBody),
    answer:
      interference?.kind === 'drop-before'
        ? '{"headers":{},"body":""}'
        : formatSide(Object.entries(answer.headers), answer.body),
  };
}
