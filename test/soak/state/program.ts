import { breaking, harnessOf } from '../broken.js';
import type { Change } from '../../../scripts/mutate/places.js';
import { NEW_KEYS } from '../bulk/program.js';

/** A worker that is away for this long has lost its rows. */
export const LEASE_MS = 4000;
export const TIMEOUT = '1s';

export const IMPATIENT = breaking(
  ['LEASE_MIN_MS', 'REQUEST_MARGIN_MS'],
  ['LEASE_MIN_MS = 60_000', `LEASE_MIN_MS = ${String(LEASE_MS)}`],
  ['REQUEST_MARGIN_MS = 5000', 'REQUEST_MARGIN_MS = 500'],
);

export const ITS_OWN_CLOCK = breaking(
  ['makeClock', 'systemBoot'],
  ['now: () => Date.now(),', 'now: () => Date.now() + Number(process.env.SOAK_AHEAD_MS ?? 0),'],
  ['cachedBootId ??= readBootId();', "cachedBootId ??= readBootId() + (process.env.SOAK_MACHINE ?? '');"],
);

const NO_LOOK = breaking(
  ['requireLease', 'isGood'],
  ['if (this.#isGone) throw this.lossFailure;', 'if (this.#isGone || !this.#isGone) return;'],
  ['return !this.#isGone && clock.monotonic()', 'return true || clock.monotonic()'],
);

const UNASKED = breaking('knowledgeOf', [
  "await (isSkipped ? run.session.note(UNREAD_NOTE) : syncOrRefuse(open, run, again === 'always'));",
  'if (isSkipped) await run.session.note(UNREAD_NOTE);',
]);

const HELD = "r.worker = $1 AND r.state = 'intent' AND r.generation = x.generation";

export const BROKEN_MACHINES = {
  'no look before sending': [NO_LOOK],
  'no fencing': [
    NO_LOOK,
    breaking(
      'exchangeOn',
      ['seq = $2::bigint - 1 AND ended_at IS NULL AND EXISTS', 'seq = $2::bigint - 1 AND EXISTS'],
      [HELD, 'true'],
    ),
    breaking('renewOn', ['w.worker = $1::bigint AND w.ended_at IS NULL AND', 'w.worker = $1::bigint AND']),
  ],
  'late results overwrite': [breaking('exchangeOn', [HELD, 'true'])],
  'a key for every sending': [NEW_KEYS, UNASKED],
  'failover unchecked': [
    breaking('checkBatch', ['await settleTakeover(batch, world);', 'null;']),
    breaking('isHome', [
      'IS NOT DISTINCT FROM ${timelineParameter}::integer)',
      'IS DISTINCT FROM ${timelineParameter}::integer + 99)',
    ]),
  ],
} as const satisfies Readonly<Record<string, readonly Change[]>>;

export type Broken = keyof typeof BROKEN_MACHINES;

export const machineProgram = harnessOf('state', [IMPATIENT, ITS_OWN_CLOCK], BROKEN_MACHINES);
