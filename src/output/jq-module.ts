/** The one place that loads jq: its JavaScript reads `jq.wasm` beside itself, in node_modules or in the bundle's folder. */
import jq from 'jq-web';

/** Runs a filter over JSON text; throws `JqError` where it does not compile or does not apply. */
export type RunJq = (json: string, filter: string, flags: readonly string[]) => string | undefined;

/** What jq says when it ends with something else than 0; 3: the filter does not compile. */
export interface JqError {
  readonly exitCode?: number;
  readonly stderr?: string;
}

/** The library's export is a promise, so it is handed on inside a function: a module that is thenable can't be imported. */
export async function loadJq(): Promise<RunJq> {
  const { raw } = await jq;
  return raw;
}
