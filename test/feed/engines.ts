import { afterAll } from 'vitest';
import type { Mirrors } from '../../src/storage/mirror/mirror.js';
import { openPostgresMirrors } from '../../src/storage/mirror/postgres/mirrors.js';
import { systemClock, systemRandom } from '../../src/runtime/clock.js';
import type { StatePlace } from '../../src/storage/postgres/place.js';
import type { PostgresDatabase } from '../support/postgres.js';
import { postgresHere } from '../support/postgres-here.js';
import { freshIn, mirrorFile, mirrorsAt } from './given.js';

type MirrorEngine = ReturnType<typeof engine>;

/** Includes PostgreSQL if a server can be started here. */
export async function mirrorEngines(): Promise<[string, MirrorEngine][]> {
  const server = await postgresHere();
  const local = engine(mirrorFile, (file, rows) => Promise.resolve(mirrorsAt(file, rows)));
  if (server === null) return [['in SQLite', local]];
  return Object.entries({ 'in SQLite': local, 'in PostgreSQL': inPostgres(server) });
}

export function sharedMirrors(place: StatePlace): Promise<Mirrors> {
  const options = { place, clock: systemClock, patienceMs: 20_000, say: () => undefined, key: null };
  return openPostgresMirrors(options, systemRandom);
}

function inPostgres(server: PostgresDatabase): MirrorEngine {
  const places = new Map<string, Promise<StatePlace>>();
  const opened: Mirrors[] = [];
  afterAll(async () => {
    await Promise.all(opened.map((mirrors) => mirrors.close()));
    await server.stop();
  });
  let files = 0;
  const newFile = (): string => `database ${String((files += 1))}`;
  return engine(newFile, async (file = newFile()) => {
    const place = places.get(file) ?? server.place(null, 'worker');
    places.set(file, place);
    const mirrors = await sharedMirrors(await place);
    opened.push(mirrors);
    return mirrors;
  });
}

function engine(newFile: () => string, open: (file?: string, tailRowsMax?: number) => Promise<Mirrors>) {
  return {
    newFile,
    mirrorsAt: open,
    freshMirror: async (file?: string) => freshIn(await open(file)),
  };
}
