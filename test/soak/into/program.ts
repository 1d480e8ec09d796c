/** The program that is killed while it writes tables: with a lease that a test can wait for, and in variants that break one promise each. */
import type { Change } from '../../../scripts/mutate/places.js';
import { buildProgram } from '../../support/variant.js';

/** Whoever is away for that long has lost the tables. */
export const LEASE_MS = 1000;

const IMPATIENT: Change = {
  room: 'commands',
  within: ['LEASE_MS', 'EVENTS_MAX', 'FIRST_WAIT_MS'],
  changes: [
    ['LEASE_MS = 15_000', `LEASE_MS = ${String(LEASE_MS)}`],
    ['EVENTS_MAX = 1000;', 'EVENTS_MAX = 30;'],
    ['FIRST_WAIT_MS = 1000', 'FIRST_WAIT_MS = 200'],
  ],
};

export const BROKEN_WRITERS = {
  'the place is committed before the events': [
    {
      room: 'events',
      within: 'fillingOf',
      changes: [
        [
          'table.write(full, position)',
          'table.write(new EventBatch(full.count), position).then(() => new Promise((done) => setTimeout(done, 40))).then(() => table.write(full, position))',
        ],
      ],
    },
  ],
  'an event that comes again is a row more': [
    {
      room: 'events',
      within: 'MORE',
      changes: [
        ["'svc_events.number': ' PRIMARY KEY'", "'svc_events.number': ''"],
        ["' NOT NULL UNIQUE'", "''"],
      ],
    },
    {
      room: 'events',
      within: 'add',
      changes: [['this.#events.set(event.id,', 'this.#events.set(`${event.id} ${this.#count}`,']],
    },
    {
      room: 'events',
      within: ['PUT_EVENT', 'INDEXES'],
      changes: [
        ['ON CONFLICT (id) DO UPDATE SET ${excluded(AGAIN)}`', '`'],
        ['CREATE UNIQUE INDEX svc_events_id', 'CREATE INDEX svc_events_id'],
      ],
    },
    {
      room: 'events',
      within: 'WRITE',
      changes: [['writing(EVENTS_AGAIN, OPERATIONS_AGAIN)', "writing('', OPERATIONS_AGAIN)"]],
    },
  ],
  'no fence': [
    {
      room: 'events',
      within: ['writing', 'STILL_HOLD'],
      changes: [
        [
          'WHERE f.holder = $1 AND f.sequence = $2::text::bigint RETURNING',
          "WHERE ($1, $2::text) <> ('', '') RETURNING",
        ],
        ['WHERE f.holder = $1 RETURNING', "WHERE $1 <> '' RETURNING"],
      ],
    },
    {
      room: 'events',
      within: 'writerOver',
      changes: [['now.sequence !== sequence', 'now.sequence === -1']],
    },
  ],
} as const satisfies Readonly<Record<string, readonly Change[]>>;

/** A promise that is broken. */
export type BrokenInto = keyof typeof BROKEN_WRITERS;

const built = new Map<BrokenInto | null, Promise<string>>();

/** The path of the program, whole but for its patience; built once. */
export function intoProgram(broken: BrokenInto | null = null): Promise<string> {
  const path = built.get(broken) ?? build(broken);
  built.set(broken, path);
  return path;
}

function build(broken: BrokenInto | null): Promise<string> {
  const contents = "import { start } from './src/main.js'; await start({ mapStack: (stack) => stack });";
  const changes: readonly Change[] = [IMPATIENT, ...(broken === null ? [] : BROKEN_WRITERS[broken])];
  return buildProgram(`into-${broken?.replaceAll(' ', '-') ?? 'whole'}`, contents, changes);
}
