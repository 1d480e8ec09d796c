/** What the page does to the sandbox as a whole, as the calls that do it: its clock is moved, a receiver is tried. Pure. */
import type { Possibility } from './actions.js';
import { control, type Deed } from './call.js';
import type { CompanyJson } from './types.js';

export function movingOf(seconds: number): Deed {
  return {
    call: control('clock', { advance_seconds: seconds }),
    words: ['sandbox', 'clock', 'advance', `${String(seconds)}s`],
  };
}

/** How far the clock is often moved. */
export const CLOCK_STEPS: readonly Possibility[] = [
  { label: '+1 min', effect: 'A minute passes.', make: () => movingOf(60) },
  { label: '+1 h', effect: 'An hour passes.', make: () => movingOf(3600) },
  { label: '+48 h', effect: 'Two days pass.', make: () => movingOf(172_800) },
];

/** A `test.ping` to the url of that company. */
export function pingOf({ name, environment }: Pick<CompanyJson, 'name' | 'environment'>): Deed {
  return {
    call: control('ping', { company: name, environment }),
    words: ['sandbox', 'ping', `--company=${name}`, '--environment', environment],
  };
}
