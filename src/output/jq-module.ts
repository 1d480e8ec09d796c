/** The one place that loads jq: its JavaScript reads `jq.wasm` beside itself, in node_modules or in the bundle's folder. */
import jq = require('jq-web');

/** Runs a filter over JSON text; throws `JqError` where it does not compile or does not apply. */
export type RunJq = (json: string, filter: string, flags: readonly string[]) => string | undefined;

/** What jq says when it ends with something else than 0; 3: the filter does not compile. */
export interface JqError {
  readonly exitCode?: number;
  readonly stderr?: string;
}

/** The library's export is a promise, and a module that is thenable can't be imported: it is required, and handed on in a function. */
export async function loadJq(): Promise<RunJq> {
  const { raw } = await jq;
  return raw;
}
