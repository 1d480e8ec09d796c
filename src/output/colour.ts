/** Decides whether a stream gets colour: NO_COLOR, FORCE_COLOR, --no-color, TERM=dumb, a terminal. Pure. */

export interface ColourEnvironment {
  readonly NO_COLOR?: string | undefined;
  readonly FORCE_COLOR?: string | undefined;
  readonly TERM?: string | undefined;
}

/**
 * The more explicit wins: the flag, then NO_COLOR (any value but an empty one), then FORCE_COLOR
 * (`0` and `false` forbid, anything else forces), then TERM=dumb, then whether the stream is a terminal.
 */
export function wantsColour(noColourFlag: boolean, env: ColourEnvironment, isTTY: boolean): boolean {
  if (noColourFlag) return false;
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false;
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return isTTY && env.TERM !== 'dumb';
}
