import { endpoint, type EndpointId } from '../../contract/endpoints.js';

const STOPPED_MEANING = 'stopped by a signal; state saved';

export const EXIT_MEANINGS: Readonly<Record<number, string>> = {
  0: 'done',
  1: 'a defect in svc, or an invalid answer of the service',
  2: 'wrong usage or invalid data; nothing was sent',
  3: 'the batch ended with rejected or failed rows',
  4: 'no key, an unknown key, or a key without the scope',
  5: 'not found',
  6: 'the service rejected the request',
  7: 'conflict: look it up, do not repeat',
  8: 'still pending when --wait ran out, or a person must act',
  9: 'the operation failed',
  10: 'the service is unavailable: try the same command later',
  11: 'network error: not sent, or a read without an answer',
  12: 'outcome unknown: run next_command, never use a new key',
  13: 'refused for safety: a person decides',
  14: 'invalid input file; nothing was sent',
  15: 'another run holds the lock',
  16: 'local state, configuration or disk',
  17: 'webhook rejected',
  18: 'reconcile found differences: read the report',
  19: 'certify: not passed, or not judged',
  126: 'sandbox exec, certify client: the command cannot be started',
  127: 'sandbox exec, certify client: no such command',
  129: STOPPED_MEANING,
  130: STOPPED_MEANING,
  141: 'the reader of standard output went away: run it again',
  143: STOPPED_MEANING,
};

export const EXIT_WORDS: Readonly<Record<number, string>> = {
  3: 'rows failed',
  5: 'not found',
  6: 'rejected',
  7: 'conflict',
  8: 'still pending',
  9: 'operation failed',
  12: 'outcome unknown',
  14: 'invalid file',
  15: 'locked by another run',
  17: 'webhook rejected',
  18: 'differences found',
  19: 'not passed',
  126: 'command cannot be started',
  127: 'no such command',
  141: 'reader went away',
};

const SIGNAL_CODES = [129, 130, 143];
const REQUEST_CODES = [0, 1, 2, 4, 10, 11, 13, 16, ...SIGNAL_CODES];
const LOCAL_CODES = [0, 1, 2, 4, 13, 16, ...SIGNAL_CODES];

export function exitCodesOf(command: {
  readonly endpoint: EndpointId | null;
  readonly exits: readonly number[];
}): number[] {
  const { endpoint: id, exits } = command;
  const codes = new Set([...(id === null ? LOCAL_CODES : REQUEST_CODES), ...exits]);
  if (id !== null) {
    const { path, query, body, retry, result } = endpoint(id);
    if (path.includes('{id}')) codes.add(5);
    if (query.length > 0 || (body !== null && body !== 'none')) codes.add(6);
    if (retry !== 'safe') codes.add(12);
    if (retry !== 'safe' && result === 'operation') codes.add(7);
    if (retry !== 'once' && result === 'operation') codes.add(8).add(9);
  }
  return [...codes].sort((a, b) => a - b);
}

export function isExtraCode(code: number): boolean {
  return !REQUEST_CODES.includes(code);
}

export function exitRows(codes: readonly number[]): [codes: string, meaning: string][] {
  const rows = new Map<string, number[]>();
  for (const code of codes) {
    const meaning = EXIT_MEANINGS[code] ?? '';
    rows.set(meaning, [...(rows.get(meaning) ?? []), code]);
  }
  return [...rows].map(([meaning, equalCodes]) => [equalCodes.join(', '), meaning]);
}
