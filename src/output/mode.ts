import { usageFailure } from '../runtime/failure.js';

export const OUTPUT_MODES = ['table', 'json', 'ndjson', 'csv'] as const;
export type OutputMode = (typeof OUTPUT_MODES)[number];

export function isOutputMode(text: string | null): text is OutputMode {
  return OUTPUT_MODES.some((mode) => mode === text);
}

export type OutputShape = 'list' | 'single' | 'pages' | 'stream';

export interface OutputFlags {
  readonly output?: string | undefined;
  readonly json?: boolean | undefined;
  readonly jq?: string | undefined;
}

/** A mode in `SVC_OUTPUT` that this command cannot print is ignored. A word that is no mode is refused. */
export function chooseMode(
  flags: OutputFlags,
  variable: string | undefined,
  isTTY: boolean,
  shape: OutputShape,
): OutputMode {
  const preference = variable === undefined || variable === '' ? null : requireMode(variable, 'SVC_OUTPUT');
  const { output, json } = flags;
  const typedMode = output === undefined ? null : requireMode(output, '--output');
  if (json === true && typedMode !== null && typedMode !== 'json')
    throw usageFailure(`Give either --json or --output ${typedMode}, not both.`);
  const chosenMode = json === true ? 'json' : typedMode;
  if (chosenMode !== null && !isPrintable(chosenMode, shape))
    throw usageFailure(
      shape === 'stream'
        ? `This command prints a stream: --output must be json or ndjson, not ${chosenMode}.`
        : '--output csv is only for lists. This command prints one object: use table, json or ndjson.',
    );
  const hasFilter = flags.jq !== undefined;
  if (hasFilter && (chosenMode === 'table' || chosenMode === 'csv'))
    throw usageFailure(`--jq needs JSON, and --output ${chosenMode} is not JSON: leave out one of them.`);
  if (shape === 'stream') return 'ndjson';
  if (chosenMode !== null) return chosenMode;
  if (hasFilter) return shape === 'pages' ? 'ndjson' : 'json';
  if (preference !== null && isPrintable(preference, shape)) return preference;
  if (shape === 'pages') return 'ndjson';
  return isTTY ? 'table' : 'json';
}

function isPrintable(mode: OutputMode, shape: OutputShape): boolean {
  if (shape === 'stream') return mode === 'json' || mode === 'ndjson';
  return mode !== 'csv' || shape !== 'single';
}

function requireMode(text: string, source: string): OutputMode {
  if (isOutputMode(text)) return text;
  throw usageFailure(`${source} cannot be ${JSON.stringify(text)}: use table, json, ndjson or csv.`);
}
