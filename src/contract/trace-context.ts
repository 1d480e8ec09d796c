/** The place of a request in somebody's trace (W3C Trace Context), as the caller hands it on in `TRACEPARENT`: judged, and passed on as it is. Pure. */

/** Version, trace, parent, flags; a later version may go on behind them. */
const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-[\x21-\x7e]{0,200})?$/;

/** The `traceparent` to be passed on; undefined where there is none, or none that the standard allows. */
export function readTraceparent(text: string | undefined): string | undefined {
  const [whole, version, trace, parent, more] = FORM.exec(text ?? '') ?? [];
  if (whole === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  return isZero(trace) || isZero(parent) ? undefined : whole;
}

function isZero(digits = ''): boolean {
  return /^0*$/.test(digits);
}
