/** Decides how a command prints, from flags, environment and the kind of its output. Pure. */
import { Failure } from '../runtime/failure.js';

export const OUTPUT_MODES = ['table', 'json', 'ndjson', 'csv'] as const;
export type OutputMode = (typeof OUTPUT_MODES)[number];

export function isOutputMode(text: string | null): text is OutputMode {
  return OUTPUT_MODES.some((mode) => mode === text);
}

/**
 * What a command prints: a `list` or a `single` object; `pages` is a list of many pages (`events list --all`),
 * NDJSON unless asked otherwise; a `stream` never ends and is NDJSON always.
 */
export type OutputShape = 'list' | 'single' | 'pages' | 'stream';

export interface OutputFlags {
  readonly output?: string | undefined;
  readonly json?: boolean | undefined;
  readonly jq?: string | undefined;
}

/**
 * The mode a command prints in. `variable` is `SVC_OUTPUT`: a preference, so where it does not suit the command
 * the default holds; a flag that does not suit is refused.
 * @throws Failure (usage) for an unknown mode, for flags that contradict each other, for csv where there is no list
 */
export function chooseMode(
  flags: OutputFlags,
  variable: string | undefined,
  isTTY: boolean,
  shape: OutputShape,
): OutputMode {
  const preferred = variable === undefined || variable === '' ? null : known(variable, 'SVC_OUTPUT');
  const asked = askedBy(flags);
  if (asked !== null && !suits(asked, shape)) throw unsuited(asked, shape);
  if (flags.jq !== undefined) return filtered(asked, shape);
  if (shape === 'stream') return 'ndjson';
  if (asked !== null) return asked;
  if (preferred !== null && suits(preferred, shape)) return preferred;
  if (shape === 'pages') return 'ndjson';
  return isTTY ? 'table' : 'json';
}

function askedBy({ output, json }: OutputFlags): OutputMode | null {
  const named = output === undefined ? null : known(output, '--output');
  if (json !== true) return named;
  if (named === null || named === 'json') return 'json';
  throw usage(`Give either --json or --output ${named}, not both.`);
}

/** A filter reads JSON, so a table or csv can't be meant. */
function filtered(asked: OutputMode | null, shape: OutputShape): OutputMode {
  if (asked === 'table' || asked === 'csv') {
    throw usage(`--jq needs JSON, and --output ${asked} is not JSON: leave out one of them.`);
  }
  if (shape === 'stream') return 'ndjson';
  return asked ?? (shape === 'pages' ? 'ndjson' : 'json');
}

function suits(mode: OutputMode, shape: OutputShape): boolean {
  if (shape === 'stream') return mode === 'json' || mode === 'ndjson';
  return mode !== 'csv' || shape !== 'single';
}

function unsuited(mode: OutputMode, shape: OutputShape): Failure {
  return shape === 'stream'
    ? usage(`This command prints a stream: --output must be json or ndjson, not ${mode}.`)
    : usage('--output csv is only for lists. This command prints one object: use table, json or ndjson.');
}

function known(text: string, source: string): OutputMode {
  if (isOutputMode(text)) return text;
  throw usage(`${source} cannot be ${JSON.stringify(text)}: use table, json, ndjson or csv.`);
}

function usage(message: string): Failure {
  return new Failure('usage', `${message} Nothing was sent.`);
}
