/** What stores of both kinds ask of a row, as SQL. */
import { SKIPPED_AS_PAID, SKIPPED_PENDING } from '../row-state.js';

/** Its operation was pending when it was last seen, whoever has made that. Never null. */
export const IS_PENDING =
  "(state = 'accepted' OR (state = 'earlier' AND coalesce(status, 'confirmed') NOT IN ('confirmed', 'failed')))";

/** It was left out because the caller asked for that. Never null. */
export const IS_SKIPPED = `(state = 'earlier' AND coalesce(code, '') IN ('${SKIPPED_AS_PAID}', '${SKIPPED_PENDING}'))`;

/** Why it counts as pending; null where it does not, or nobody says. */
export const PENDING_REASON = `CASE WHEN state = 'accepted' OR (state = 'earlier' AND code = '${SKIPPED_PENDING}') THEN code END`;
