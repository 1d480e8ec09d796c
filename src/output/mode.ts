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
  const { output, json } = flags;
  const named = output === undefined ? null : known(output, '--output');
  if (json === true && named !== null && named !== 'json')
    throw usage(`Give either --json or --output ${named}, not both.`);
  const asked = json === true ? 'json' : named;
  if (asked !== null && !suits(asked, shape))
    throw usage(
      shape === 'stream'
        ? `This command prints a stream: --output must be json or ndjson, not ${asked}.`
        : '--output csv is only for lists. This command prints one object: use table, json or ndjson.',
    );
  const hasFilter = flags.jq !== undefined;
  // A filter reads JSON, so a table or csv can't be meant.
  if (hasFilter && (asked === 'table' || asked === 'csv'))
    throw usage(`--jq needs JSON, and --output ${asked} is not JSON: leave out one of them.`);
  if (shape === 'stream') return 'ndjson';
  if (asked !== null) return asked;
  if (hasFilter) return shape === 'pages' ? 'ndjson' : 'json';
  if (preferred !== null && suits(preferred, shape)) return preferred;
  if (shape === 'pages') return 'ndjson';
  return isTTY ? 'table' : 'json';
}

function suits(mode: OutputMode, shape: OutputShape): boolean {
  if (shape === 'stream') return mode === 'json' || mode === 'ndjson';
  return mode !== 'csv' || shape !== 'single';
}

function known(text: string, source: string): OutputMode {
  if (isOutputMode(text)) return text;
  throw usage(`${source} cannot be ${JSON.stringify(text)}: use table, json, ndjson or csv.`);
}

function usage(message: string): Failure {
  return new Failure('usage', `${message} Nothing was sent.`);
}
