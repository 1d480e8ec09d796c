import { IS_REST } from './rest.js';

/** How much a test draws: a tenth in the first tier, where many are tried for each change, and all in the rest. */
export function rounds(usual: number): number {
  return IS_REST ? usual : Math.ceil(usual / 10);
}
