/** The state that machines share, as commands reach it: where it is set, and for what. */
import { readStateKey, type StateKey } from '../../state/key.js';
import type { SharedState } from '../../state/place.js';
import { readKeyFile } from '../../profile/stores.js';
import type { BatchStore } from '../../bulk/store/batch-store.js';
import type { PostgresStoreOptions } from '../../bulk/store/postgres/postgres-store.js';
import { systemTicker } from '../../runtime/clock.js';
import { renderNote } from '../../output/error-prose.js';
import { machineName, userName } from '../../runtime/machine.js';
import type { Ports } from '../../runtime/ports.js';
import { VERSION } from '../../runtime/version.js';
import { durationMs, timeoutOf } from '../line/duration.js';
import { type BookRun, lookForState, readSecret } from './state-settings.js';

/** Where it is, whatever is asked of it; null where nothing is shared. @throws Failure `usage`, `unsafe`, `local_state` */
export function stateIn(run: BookRun): SharedState | null {
  return lookForState(run).state;
}

/** By command line: each of its books asks, and the file is read once. */
const keys = new WeakMap<Ports, StateKey | null>();

/** The key that the state is sealed with; null where none is set. @throws Failure `usage`, `local_state` */
export function stateKeyIn(ports: Ports): StateKey | null {
  const known = keys.get(ports);
  if (known !== undefined) return known;
  const { env, random, redact } = ports;
  const read = readStateKey(env, readSecret, random);
  redact.add(read?.secrets ?? []);
  keys.set(ports, read?.key ?? null);
  return read?.key ?? null;
}

/** Where the books of this command line are; null for the files of this machine. @throws Failure `usage`, `unsafe`, `local_state` */
export function sharedStateOf(run: BookRun): SharedState | null {
  const { state, isEmbedded } = lookForState(run);
  // The sandbox inside is another one on each machine.
  return isEmbedded ? null : state;
}

const ANSWER_MS = 5000;
const LEAST_LEASE_MS = 60_000;
const PATIENCE = '60s';

/** @throws Failure `local_state` */
export async function openShared({ place }: SharedState, { ports, flags }: BookRun): Promise<BatchStore> {
  await tellOfKey({ ports, flags });
  const { openPostgresStore } = await import('../../bulk/store/postgres/postgres-store.js');
  const world = { ...worldOf(ports), ...(flags.quiet ? { say: () => undefined } : {}) };
  return openPostgresStore({ place, ...world, ...leaseOf(timeoutOf(flags)) });
}

/** The last request has its answer, or has run out, before its row can be another's. */
function leaseOf(timeoutMs: number): Pick<PostgresStoreOptions, 'leaseMs' | 'marginMs'> {
  const marginMs = timeoutMs + ANSWER_MS;
  return { marginMs, leaseMs: Math.max(LEAST_LEASE_MS, 2 * marginMs) };
}

export function worldOf(ports: Ports) {
  const { env, clock, errors, random, pid, redact } = ports;
  // One that was not filled in is none: the others would read of nobody.
  const named = env['SVC_WORKER_NAME'] === '' ? undefined : env['SVC_WORKER_NAME'];
  return {
    clock,
    ...{ ticker: systemTicker, ages: 'both' as const, program: VERSION },
    name: named ?? `${machineName()}/${String(pid)}`,
    patienceMs: durationMs(env['SVC_STATE_PATIENCE'] ?? PATIENCE, 'SVC_STATE_PATIENCE'),
    say: (text: string) => void errors.write(renderNote(redact(text), errors)),
    newToken: () => random.uuid(),
    confirmer: named ?? [userName(), machineName()].filter((part) => part !== null).join('@'),
    key: stateKeyIn(ports),
  };
}

/** Command lines that were told: several stores may be opened in one. */
const told = new WeakSet<Ports>();

/** A state is shared, and this command line works on the sandbox inside, which is another one on each machine. */
export async function tellOfFiles(run: BookRun): Promise<void> {
  const { ports, flags } = run;
  const state = flags.quiet === true || told.has(ports) ? null : stateIn(run);
  if (state === null) return;
  told.add(ports);
  const text = `The embedded sandbox keeps its state on this machine and does not use ${state.name}.`;
  await ports.errors.write(renderNote(text, ports.errors));
}

/** What the key protects, where there is none or others can read it. */
export async function tellOfKey({ ports, flags }: BookRun): Promise<void> {
  if (flags.quiet || told.has(ports)) return;
  told.add(ports);
  const path = ports.env['SVC_STATE_KEY_FILE'];
  if (path === undefined)
    await ports.errors.write(
      'Anybody who reaches the database of the shared state can read and change what is paid. SVC_STATE_KEY_FILE=FILE seals it.\n',
    );
  else if (readKeyFile(path)?.isShared === true)
    await ports.errors.write('Other users of this machine may read the file in SVC_STATE_KEY_FILE.\n');
}
