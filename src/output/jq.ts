import { decodeUtf8, withoutByteOrderMark } from '../contract/json.js';
import { Failure } from '../runtime/failure.js';
// The module exports a promise, and `require` takes it as it is.
import jq = require('jq-web');

type RunJq = (json: string, filter: string, flags: readonly string[]) => string | undefined;

interface JqError {
  readonly exitCode?: number;
  readonly stderr?: string;
}

/** Without these definitions, a filter could print on standard error, unescaped and unmasked. */
const SILENCE =
  'def debug: .; def debug(f): .; def stderr: .; def halt_error: error(.); def halt_error(c): error(.);';

const JQ_FLAGS = ['-r', '-c', '-M'];
const NOT_COMPILED_CODE = 3;

export async function createJqFilter(expression: string): Promise<(json: string | Uint8Array) => string> {
  const { raw: runJq } = await jq;
  if (expression.trim() === '') throw expressionFailure(expression, 'it is empty');
  // The leading space keeps jq from reading an expression that begins with a dash as an option.
  const program = ` ${SILENCE} ${expression}`;
  try {
    runJq('', program, JQ_FLAGS);
  } catch (error) {
    throw expressionFailure(expression, reasonOf(error as JqError), error);
  }
  return (json) => applyFilter(runJq, program, textOf(json));
}

function applyFilter(run: RunJq, program: string, json: string): string {
  try {
    const results = run(json, program, JQ_FLAGS);
    return results === undefined ? '' : `${results}\n`;
  } catch (error) {
    const { exitCode, stderr } = error as JqError;
    if (exitCode === undefined) throw error;
    const message = (stderr ?? '').replace(/^jq: error \(at [^)]*\)(?: \(not a string\))?: /, '');
    const facts = { code: 'jq_failed', outcome: 'sent', cause: error } as const;
    throw new Failure('defect', `--jq cannot filter it: ${message}.`, facts);
  }
}

function expressionFailure(expression: string, reason: string, cause?: unknown): Failure {
  const message = `--jq ${JSON.stringify(expression)} is not a valid filter: ${reason}. Nothing was sent.`;
  return new Failure('usage', message, { code: 'jq_invalid', cause });
}

function reasonOf({ exitCode, stderr }: JqError): string {
  if (exitCode !== NOT_COMPILED_CODE || stderr === undefined) return 'jq cannot compile it';
  const message = stderr.split('\n', 1)[0] ?? '';
  return message
    .replace(/^jq: error: /, '')
    .replace(' (Unix shell quoting issues?)', '')
    .replace(' at <top-level>,', ' at')
    .replace(/:\s*$/, '');
}

function textOf(json: string | Uint8Array): string {
  return typeof json === 'string' ? json : decodeUtf8(withoutByteOrderMark(json));
}
