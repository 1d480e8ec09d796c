/** Reads from flags, environment and profile: the state that machines share, its secrets, this machine's name there, and how long it retries. */
import { renderNote } from '../output/error-prose.js';
import { chooseValues } from './choices.js';
import { loadStatePassword } from './keys.js';
import { readKeyFile, systemStores } from './key-stores.js';
import { isNothingConfigured } from './target.js';
import { systemTicker } from '../runtime/clock.js';
import { Failure, usageFailure } from '../runtime/failure.js';
import { machineName, userName } from '../runtime/processes.js';
import type { Ports } from '../runtime/ports.js';
import { VERSION } from '../runtime/version.js';
import { readStateKey, type StateKey } from '../storage/postgres/key.js';
import { readPlace, type SharedState } from '../storage/postgres/place.js';
import type { MachineOptions } from '../storage/shared-stores.js';
import { longEnoughToHide, sourceOf } from '../storage/postgres/source.js';
import { durationMs } from '../runtime/typed-time.js';
import { targetInput } from './target-input.js';
import { type Where, whereFlags } from './place-flags.js';
import { readCertificates } from './connection.js';

export interface StoresRun {
  readonly ports: Ports;
  readonly flags: Where & { readonly timeout?: string | undefined; readonly quiet?: boolean };
}

interface StateLookup {
  readonly state: SharedState | null;
  /** True if no address or key is configured: then the embedded sandbox is used. */
  readonly isEmbedded: boolean;
}

/** Caches the result of `findState` by the flags of a command, so that its stores read the settings only once. */
const lookupByFlags = new WeakMap<StoresRun['flags'], StateLookup>();

/** Finds the shared state by flags, environment and profile, once for a command. @throws Failure `usage`, `unsafe`, `local_state` */
function findState({ ports, flags }: StoresRun): StateLookup {
  const cached = lookupByFlags.get(flags);
  if (cached !== undefined) return cached;
  const { env, paths, clock, redact } = ports;
  const { 'state-url': url, 'ca-file': caFile } = flags;
  const input = targetInput(ports, flags);
  const choices = chooseValues(input);
  const activeProfile = choices.profile?.value ?? null;
  const passwordProfile = activeProfile?.profile.state_password === undefined ? null : activeProfile;
  const source = sourceOf({
    ...{ flag: url, env },
    profile: activeProfile === null ? null : { name: activeProfile.name, state: activeProfile.profile.state },
  });
  const hide = (secrets: readonly string[]): void =>
    redact.add(longEnoughToHide(secrets).flatMap((secret) => [secret, encodeURIComponent(secret)]));
  const storedPassword = async ({ name, profile }: NonNullable<typeof passwordProfile>): Promise<string> => {
    const password = await loadStatePassword(systemStores(paths, clock), name, profile);
    hide([password]);
    return password;
  };
  const placeReaders = {
    ...{ env, hide, secret: readSecret },
    ca: () => (caFile === undefined ? null : readCertificates(caFile)),
    stored: passwordProfile === null ? null : () => storedPassword(passwordProfile),
  };
  const state = source === null ? null : readPlace(source, placeReaders);
  const environment = choices.environment.value;
  const lookup = {
    state:
      state === null ? null : { ...state, place: { ...state.place, environment, flags: whereFlags(flags) } },
    isEmbedded: isNothingConfigured(choices, input),
  };
  lookupByFlags.set(flags, lookup);
  return lookup;
}

/** Returns the shared state, even if the command is on the embedded sandbox and does not use it. @throws Failure `usage`, `unsafe`, `local_state` */
export function stateIn(run: StoresRun): SharedState | null {
  return findState(run).state;
}

/** Caches the key for a command, so that its stores read the key file only once. */
const keyByPorts = new WeakMap<Ports, StateKey | null>();

/** Returns the key that seals the state; null without one. @throws Failure `usage`, `local_state` */
export function stateKeyIn(ports: Ports): StateKey | null {
  const cached = keyByPorts.get(ports);
  if (cached !== undefined) return cached;
  const { env, random, redact } = ports;
  const stateKey = readStateKey(env, readSecret, random);
  redact.add(stateKey?.secrets ?? []);
  keyByPorts.set(ports, stateKey?.key ?? null);
  return stateKey?.key ?? null;
}

/** Returns the shared state that the command's stores are in; null for this machine's files. @throws Failure `usage`, `unsafe`, `local_state` */
export function sharedStateOf(run: StoresRun): SharedState | null {
  const { state, isEmbedded } = findState(run);
  // The embedded sandbox is not shared: each machine has its own.
  return isEmbedded ? null : state;
}

const DEFAULT_PATIENCE = '60s';

/** Returns the options of this machine for stores in a shared state. @throws Failure `usage` */
export function machineOptions(ports: Ports): MachineOptions {
  const { env, clock, errors, random, pid, redact } = ports;
  // An empty name counts as none, because other machines could not tell which machine it is.
  const workerName = env['SVC_WORKER_NAME'] === '' ? undefined : env['SVC_WORKER_NAME'];
  return {
    clock,
    ...{ ticker: systemTicker, ages: 'both', program: VERSION },
    name: workerName ?? `${machineName()}/${String(pid)}`,
    patienceMs: durationMs(env['SVC_STATE_PATIENCE'] ?? DEFAULT_PATIENCE, 'SVC_STATE_PATIENCE'),
    say: (text: string) => void errors.write(renderNote(redact(text), errors)),
    newToken: () => random.uuid(),
    confirmer: workerName ?? [userName(), machineName()].filter((part) => part !== null).join('@'),
    key: stateKeyIn(ports),
  };
}

/** The ports of commands that had a note already: one command may open several stores. */
const notedPorts = new WeakSet<Ports>();

/** Notes, once, that a command on the embedded sandbox does not use the shared state. */
export async function noteEmbeddedState(run: StoresRun): Promise<void> {
  const { ports, flags } = run;
  const state = flags.quiet === true || notedPorts.has(ports) ? null : stateIn(run);
  if (state === null) return;
  notedPorts.add(ports);
  const text = `The embedded sandbox keeps its state on this machine and does not use ${state.name}.`;
  await ports.errors.write(renderNote(text, ports.errors));
}

/** Warns, once, if the shared state has no key, or other users can read the key file. */
export async function noteUnsealedState({ ports, flags }: StoresRun): Promise<void> {
  if (flags.quiet || notedPorts.has(ports)) return;
  notedPorts.add(ports);
  const path = ports.env['SVC_STATE_KEY_FILE'];
  if (path === undefined)
    await ports.errors.write(
      'Anybody who reaches the database of the shared state can read and change what is paid. SVC_STATE_KEY_FILE=FILE seals it.\n',
    );
  else if (readKeyFile(path)?.isShared === true)
    await ports.errors.write('Other users of this machine may read the file in SVC_STATE_KEY_FILE.\n');
}

/** Reads a secret from a file, without its last line end. @throws Failure `local_state`, `usage` for an empty file */
export function readSecret(path: string, name: string): string {
  const text = readKeyFile(path)?.text.replace(/\r?\n$/, '') ?? null;
  if (text === null)
    throw new Failure('local_state', `${name}: svc cannot read the file. Nothing was sent.`, {
      code: 'state_unusable',
    });
  if (text === '') throw usageFailure(`${name}: the file is empty.`);
  return text;
}
