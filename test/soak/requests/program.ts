import { builtWith, variant } from '../broken.js';
import { PROGRAM } from '../../support/program.js';
import type { Variant } from '../../support/variant.js';

/** The request leaves before it is cleared, so a kill after that loses all trace of the request. */
export const LEAVES_EARLY = variant('leaves-early', 'clearForTry', [
  'const openRequest = await journal.clear(request,',
  "const openRequest = { ...request, state: 'open', left: clock.moment(), body: request.body! } as const;\n    void (",
]);

export const NEW_KEY = variant('new-key', 'repeatOpen', [
  '{ body }, idempotencyKey)',
  '{ body }, crypto.randomUUID())',
]);

/** Settles before the answer is handed over, so a kill in between leaves an operation that nobody was told of. */
export const SETTLES_EARLY = variant('settles-early', 'sendRecorded', [
  'await noteOlderOperation(conclusion, settlement, session);',
  'await settleRequest(journal, request, conclusion, answerTimes());',
]);

export const COMMITS_FIRST = variant('commits-first', 'follow', [
  'let remaining = selectedEvents.length;',
  'progress.turn(next);\n      progress.flush();\n      let remaining = selectedEvents.length;',
]);

export const NO_REDACTOR = variant('no-redactor', 'createRedactor', [
  'redactMembers(redactShapes(pattern === null ? text : text.replace(pattern, maskUnlessId)))',
  'pattern === null || MASK === "" ? redactMembers(redactShapes(text)) : text',
]);

export const programOf = (broken?: Variant): Promise<string> =>
  broken === undefined ? Promise.resolve(PROGRAM) : builtWith(broken.name, [broken]);
