import { IS_REST } from './rest.js';

/** The first tier draws a tenth of the cases. */
export function rounds(usual: number): number {
  return IS_REST ? usual : Math.ceil(usual / 10);
}
