/** The state that machines share, as a command line sets it: where it is, where its secrets come from, and how this machine works there. */
import { renderNote } from '../../output/error-prose.js';
import { chooseValues } from '../../profile/choices.js';
import { loadStatePassword } from '../../profile/keys.js';
import { readKeyFile, systemStores } from '../../profile/stores.js';
import { isNothingConfigured } from '../../profile/target.js';
import { systemTicker } from '../../runtime/clock.js';
import { Failure } from '../../runtime/failure.js';
import { machineName, userName } from '../../runtime/processes.js';
import type { Ports } from '../../runtime/ports.js';
import { VERSION } from '../../runtime/version.js';
import { readStateKey, type StateKey } from '../../state/key.js';
import { readPlace, type SharedState } from '../../state/place.js';
import { hideable, sourceOf } from '../../state/source.js';
import type { Run } from '../command.js';
import { durationMs } from '../line/moment.js';
import { targetInput } from '../session/target-input.js';
import { whereFlags } from '../line/where.js';
import { readCertificates } from '../session/connection.js';

/** What a command line says of where its stores are. */
export interface StoresRun extends Pick<Run, 'ports'> {
  readonly flags: Partial<
    Pick<
      Run['flags'],
      'profile' | 'live' | 'sandbox' | 'base-url' | 'state-url' | 'ca-file' | 'timeout' | 'quiet'
    >
  >;
}

interface LookedForState {
  readonly state: SharedState | null;
  /** Nothing is configured. */
  readonly isEmbedded: boolean;
}

/** By the flags of a command line: each of its stores asks, and the settings are read once. */
const looked = new WeakMap<StoresRun['flags'], LookedForState>();

/** @throws Failure `usage`, `unsafe`, `local_state` */
function lookForState({ ports, flags }: StoresRun): LookedForState {
  const known = looked.get(flags);
  if (known !== undefined) return known;
  const { env, paths, clock, redact } = ports;
  const { 'state-url': url, 'ca-file': caFile } = flags;
  const input = targetInput(ports, flags);
  const choices = chooseValues(input);
  const active = choices.profile?.value ?? null;
  const keeps = active?.profile.state_password === undefined ? null : active;
  const source = sourceOf({
    ...{ flag: url, env },
    profile: active === null ? null : { name: active.name, state: active.profile.state },
  });
  const hide = (secrets: readonly string[]): void =>
    redact.add(hideable(secrets).flatMap((secret) => [secret, encodeURIComponent(secret)]));
  const stored = async ({ name, profile: kept }: NonNullable<typeof keeps>): Promise<string> => {
    const password = await loadStatePassword(systemStores(paths, clock), name, kept);
    hide([password]);
    return password;
  };
  const parts = {
    ...{ env, hide, secret: readSecret },
    ca: () => (caFile === undefined ? null : readCertificates(caFile)),
    stored: keeps === null ? null : () => stored(keeps),
  };
  const state = source === null ? null : readPlace(source, parts);
  const environment = choices.environment.value;
  const found = {
    state:
      state === null ? null : { ...state, place: { ...state.place, environment, flags: whereFlags(flags) } },
    isEmbedded: isNothingConfigured(choices, input),
  };
  looked.set(flags, found);
  return found;
}

/** Where it is, whatever is asked of it; null where nothing is shared. @throws Failure `usage`, `unsafe`, `local_state` */
export function stateIn(run: StoresRun): SharedState | null {
  return lookForState(run).state;
}

/** By command line: each of its stores asks, and the file is read once. */
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

/** Where the stores of this command line are; null for the files of this machine. @throws Failure `usage`, `unsafe`, `local_state` */
export function sharedStateOf(run: StoresRun): SharedState | null {
  const { state, isEmbedded } = lookForState(run);
  // The sandbox inside is another one on each machine.
  return isEmbedded ? null : state;
}

const PATIENCE = '60s';

/** How this machine works there. @throws Failure `usage` */
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

/** Command lines that have had the note: one command may open several stores. */
const noted = new WeakSet<Ports>();

/** A state is shared, and this command line works on the sandbox inside, which is another one on each machine. */
export async function tellOfFiles(run: StoresRun): Promise<void> {
  const { ports, flags } = run;
  const state = flags.quiet === true || noted.has(ports) ? null : stateIn(run);
  if (state === null) return;
  noted.add(ports);
  const text = `The embedded sandbox keeps its state on this machine and does not use ${state.name}.`;
  await ports.errors.write(renderNote(text, ports.errors));
}

/** What the key protects, where there is none or others can read it. */
export async function tellOfKey({ ports, flags }: StoresRun): Promise<void> {
  if (flags.quiet || noted.has(ports)) return;
  noted.add(ports);
  const path = ports.env['SVC_STATE_KEY_FILE'];
  if (path === undefined)
    await ports.errors.write(
      'Anybody who reaches the database of the shared state can read and change what is paid. SVC_STATE_KEY_FILE=FILE seals it.\n',
    );
  else if (readKeyFile(path)?.isShared === true)
    await ports.errors.write('Other users of this machine may read the file in SVC_STATE_KEY_FILE.\n');
}

/** @throws Failure `local_state`, `usage` for a file that holds nothing */
export function readSecret(path: string, name: string): string {
  const text = readKeyFile(path)?.text.replace(/\r?\n$/, '') ?? null;
  if (text === null)
    throw new Failure('local_state', `${name}: svc cannot read the file. Nothing was sent.`, {
      code: 'state_unusable',
    });
  if (text === '') throw new Failure('usage', `${name}: the file is empty. Nothing was sent.`);
  return text;
}
