/** The command line as it is built, or as a variant that breaks one promise on purpose. */
import { build } from 'esbuild';
import { join } from 'node:path';
import { ROOT } from '../../house/source.js';
import { PROGRAM } from '../../support/program.js';
import { breaking, type Variant } from '../variant.js';

/** Records a request when it has been answered: a kill before that loses all trace of it. */
export const SAVES_LATE: Variant = {
  name: 'saves-late',
  file: 'src/command/create/keyed.ts',
  changes: [
    ['const kept = journal.record(intent);', 'const kept = { ...intent, row: -1 };'],
    ['const { error, isShown } =', 'journal.record(intent);\n  const { error, isShown } ='],
  ],
};

/** Repeats with a key of its own: what was carried out is carried out again. */
export const NEW_KEY: Variant = {
  name: 'new-key',
  file: 'src/command/requests/repetition.ts',
  changes: [['{ body: intent.body }, key)', '{ body: intent.body }, crypto.randomUUID())']],
};

/** Settles before the answer is handed over: a kill in between leaves an operation that nobody was told of. */
export const SETTLES_EARLY: Variant = {
  name: 'settles-early',
  file: 'src/command/create/keyed.ts',
  changes: [
    ['const { error, isShown } =', 'settle(journal, kept, conversation);\n  const { error, isShown } ='],
  ],
};

/** Says everything as it is. */
export const NO_REDACTOR: Variant = {
  name: 'no-redactor',
  file: 'src/output/redact.ts',
  changes: [
    [
      'redactMembers(redactShapes(pattern === null ? text : text.replace(pattern, MASK)))',
      'pattern === null || MASK === "" ? redactMembers(redactShapes(text)) : text',
    ],
  ],
};

/** The path of the program. */
export async function programOf(variant?: Variant): Promise<string> {
  if (variant === undefined) return PROGRAM;
  // Inside the project, so that its libraries are found.
  const outdir = join(ROOT, 'node_modules', '.cache', 'svc-soak', `${variant.name}-${String(process.pid)}`);
  await build({
    stdin: {
      contents: "import { start } from './src/main.js'; await start((stack) => stack);",
      resolveDir: ROOT,
      loader: 'ts',
    },
    entryPoints: ['src/bulk/store/exchange-thread.ts'],
    absWorkingDir: ROOT,
    outbase: 'src',
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    outdir,
    outExtension: { '.js': '.mjs' },
    logLevel: 'silent',
    plugins: [breaking(variant)],
  });
  return join(outdir, 'stdin.mjs');
}
