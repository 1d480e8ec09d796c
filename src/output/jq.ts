/** The filter of `--jq`: compiled before anything is sent, then applied to each answer. */
import { withoutMark } from '../contract/json.js';
import { Failure } from '../runtime/failure.js';
// It is a promise, and a module that is thenable can't be imported. It reads `jq.wasm` beside itself, in node_modules or in the bundle's folder.
import jq = require('jq-web');

/** Runs a filter over JSON text; throws `JqError` where it does not compile or does not apply. */
type RunJq = (json: string, filter: string, flags: readonly string[]) => string | undefined;

/** What jq says when it ends with something else than 0; 3: the filter does not compile. */
interface JqError {
  readonly exitCode?: number;
  readonly stderr?: string;
}

/**
 * Applies the filter to JSON texts, one after the other (NDJSON is such a text too): strings raw, anything else as
 * compact JSON, one result a line; empty for no result. A call costs about 2 ms: one a page.
 * Numbers that the filter only passes on keep their digits (`1e3` becomes `1E+3`); arithmetic on them is jq's, in doubles.
 * @throws Failure (defect) where the answer is not what the filter expects: the request was answered all the same
 */
export type JqFilter = (json: string | Uint8Array) => string;

/** jq would print these on standard error itself, unescaped and past the redactor. They let their input through instead. */
const SILENCE =
  'def debug: .; def debug(f): .; def stderr: .; def halt_error: error(.); def halt_error(c): error(.);';

/** One result a line, strings raw; no colour. */
const FLAGS = ['-r', '-c', '-M'];
const NOT_COMPILED = 3;

/**
 * Loads jq and compiles the filter; call it before the request leaves.
 * @throws Failure (usage) for an expression that does not compile, naming the line
 */
export async function createJqFilter(expression: string): Promise<JqFilter> {
  const { raw: run } = await jq;
  if (expression.trim() === '') throw invalid(expression, 'it is empty');
  // The first character is a space: an expression that begins with a dash is no option of jq's.
  const program = ` ${SILENCE} ${expression}`;
  try {
    run('', program, FLAGS);
  } catch (error) {
    throw invalid(expression, reasonOf(error as JqError), error);
  }
  return (json) => apply(run, program, textOf(json));
}

function apply(run: RunJq, program: string, json: string): string {
  try {
    const results = run(json, program, FLAGS);
    return results === undefined ? '' : `${results}\n`;
  } catch (error) {
    const { exitCode, stderr } = error as JqError;
    if (exitCode === undefined) throw error;
    const said = (stderr ?? '').replace(/^jq: error \(at [^)]*\)(?: \(not a string\))?: /, '');
    throw new Failure('defect', `--jq cannot filter it: ${said}.`, {
      code: 'jq_failed',
      outcome: 'sent',
      cause: error,
    });
  }
}

function invalid(expression: string, reason: string, cause?: unknown): Failure {
  const message = `--jq ${JSON.stringify(expression)} is not a valid filter: ${reason}. Nothing was sent.`;
  return new Failure('usage', message, { code: 'jq_invalid', cause });
}

/** jq's own words for what is wrong, with the line; what follows in its message is the filter again. */
function reasonOf({ exitCode, stderr }: JqError): string {
  if (exitCode !== NOT_COMPILED || stderr === undefined) return 'jq cannot compile it';
  const said = stderr.split('\n', 1)[0] ?? '';
  return said
    .replace(/^jq: error: /, '')
    .replace(' (Unix shell quoting issues?)', '')
    .replace(' at <top-level>,', ' at')
    .replace(/:\s*$/, '');
}

function textOf(json: string | Uint8Array): string {
  if (typeof json === 'string') return json;
  const { buffer, byteOffset, byteLength } = withoutMark(json);
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8');
}
