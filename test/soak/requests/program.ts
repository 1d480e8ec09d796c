/** The command line as it is built, or as a variant that breaks one promise on purpose. */
import { builtWith, variant } from '../broken.js';
import { PROGRAM } from '../../support/program.js';
import type { Variant } from '../../support/variant.js';

/** Lets a request leave that is recorded and not cleared: a kill after that loses all trace of it. */
export const LEAVES_EARLY = variant('leaves-early', 'recordUntilCleared', [
  'const openRequest = await journal.clear(request,',
  "const openRequest = { ...request, state: 'open', left: clock.moment(), body: request.body! } as const;\n    void (",
]);

/** Repeats with a key of its own: what was carried out is carried out again. */
export const NEW_KEY = variant('new-key', 'repeatOpen', [
  '{ body }, idempotencyKey)',
  '{ body }, crypto.randomUUID())',
]);

/** Settles before the answer is handed over: a kill in between leaves an operation that nobody was told of. */
export const SETTLES_EARLY = variant('settles-early', 'sendRecorded', [
  'await noteOlderOperation(conclusion, known, session);',
  'await settleRequest(journal, request, conclusion, answerTimes());',
]);

/** Moves the checkpoint before the page is handed over. */
export const COMMITS_FIRST = variant('commits-first', 'follow', [
  'let remaining = selectedEvents.length;',
  'progress.turn(next);\n      progress.flush();\n      let remaining = selectedEvents.length;',
]);

/** Says everything as it is. */
export const NO_REDACTOR = variant('no-redactor', 'createRedactor', [
  'redactMembers(redactShapes(pattern === null ? text : text.replace(pattern, maskUnlessId)))',
  'pattern === null || MASK === "" ? redactMembers(redactShapes(text)) : text',
]);

/** The path of the program. */
export const programOf = (broken?: Variant): Promise<string> =>
  broken === undefined ? Promise.resolve(PROGRAM) : builtWith(broken.name, [broken]);
