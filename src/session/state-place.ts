import { renderNote } from '../output/error-prose.js';
import type { Choices } from './choices.js';
import { loadStatePassword } from './keys.js';
import { readKeyFile, systemStores } from './key-stores.js';
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
import { type Where, whereFlags } from './place-flags.js';
import { readCertificates } from './connection.js';

export function sharedStateOf(choices: Choices, ports: Ports, flags: Where): SharedState | null {
  const { env, paths, clock, redact } = ports;
  const { 'state-url': url, 'ca-file': caFile } = flags;
  const activeProfile = choices.profile?.value ?? null;
  const passwordProfile = activeProfile?.profile.state_password === undefined ? null : activeProfile;
  const source = sourceOf({
    ...{ flag: url, env },
    profile: activeProfile === null ? null : { name: activeProfile.name, state: activeProfile.profile.state },
  });
  const hide = (secrets: readonly string[]): void =>
    redact.add(longEnoughToHide(secrets).flatMap((secret) => [secret, encodeURIComponent(secret)]));
  const loadPassword = async ({ name, profile }: NonNullable<typeof passwordProfile>): Promise<string> => {
    const password = await loadStatePassword(systemStores(paths, clock), name, profile);
    hide([password]);
    return password;
  };
  const placeReaders = {
    ...{ env, hide, readSecret },
    ca: () => (caFile === undefined ? null : readCertificates(caFile)),
    storedPassword: passwordProfile === null ? null : () => loadPassword(passwordProfile),
  };
  const state = source === null ? null : readPlace(source, placeReaders);
  if (state === null) return null;
  const environment = choices.environment.value;
  return { ...state, place: { ...state.place, environment, flags: whereFlags(flags) } };
}

export function stateKeyIn({ env, random, redact }: Ports): StateKey | null {
  const stateKey = readStateKey(env, readSecret, random);
  redact.add(stateKey?.secrets ?? []);
  return stateKey?.key ?? null;
}

const DEFAULT_PATIENCE = '60s';

export function machineOptions(ports: Ports): MachineOptions {
  const { env, clock, errors, random, pid, redact } = ports;
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

export function unsealedNote(env: Ports['env']): string | null {
  const path = env['SVC_STATE_KEY_FILE'];
  if (path === undefined)
    return 'Anybody who reaches the database of the shared state can read and change what is paid. SVC_STATE_KEY_FILE=FILE seals it.\n';
  if (readKeyFile(path)?.isShared !== true) return null;
  return 'Other users of this machine may read the file in SVC_STATE_KEY_FILE.\n';
}

export function readSecret(path: string, name: string): string {
  const text = readKeyFile(path)?.text.replace(/\r?\n$/, '') ?? null;
  if (text === null)
    throw new Failure('local_state', `${name}: svc cannot read the file. Nothing was sent.`, {
      code: 'state_unusable',
    });
  if (text === '') throw usageFailure(`${name}: the file is empty.`);
  return text;
}
