/** The command line as it is built, or as a variant that breaks one promise on purpose. */
import { PROGRAM } from '../../support/program.js';
import { buildProgram, type Variant } from '../../support/variant.js';

/** Lets a request leave that is recorded and not cleared: a kill after that loses all trace of it. */
export const LEAVES_EARLY: Variant = {
  name: 'leaves-early',
  room: 'cli',
  within: 'cleared',
  changes: [
    [
      'const open = await journal.clear(request,',
      "const open = { ...request, state: 'open', left: clock.moment(), body: request.body! } as const;\n    void (",
    ],
  ],
};

/** Repeats with a key of its own: what was carried out is carried out again. */
export const NEW_KEY: Variant = {
  name: 'new-key',
  room: 'commands',
  within: 'repeatOpen',
  changes: [['{ body }, idempotencyKey)', '{ body }, crypto.randomUUID())']],
};

/** Settles before the answer is handed over: a kill in between leaves an operation that nobody was told of. */
export const SETTLES_EARLY: Variant = {
  name: 'settles-early',
  room: 'cli',
  within: 'sendRecorded',
  changes: [
    [
      'const { error, isShown, seen } =',
      'await settle(journal, request, conclusion, learnt());\n  const { error, isShown, seen } =',
    ],
  ],
};

/** Says everything as it is. */
export const NO_REDACTOR: Variant = {
  name: 'no-redactor',
  room: 'output',
  within: 'createRedactor',
  changes: [
    [
      'redactMembers(redactShapes(pattern === null ? text : text.replace(pattern, hide)))',
      'pattern === null || MASK === "" ? redactMembers(redactShapes(text)) : text',
    ],
  ],
};

/** The path of the program. */
export function programOf(variant?: Variant): Promise<string> {
  if (variant === undefined) return Promise.resolve(PROGRAM);
  const contents = "import { start } from './src/main.js'; await start({ mapStack: (stack) => stack });";
  return buildProgram(variant.name, contents, [variant]);
}
