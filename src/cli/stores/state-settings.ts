/** The settings of a command line for the shared state: which of them says where it is, and where its secrets come from. */
import { chooseValues } from '../../profile/choices.js';
import { readSettings } from '../../profile/settings-file.js';
import { loadStatePassword } from '../../profile/state-password.js';
import { readKeyFile, systemStores } from '../../profile/stores.js';
import { isNothingConfigured } from '../../profile/target.js';
import { Failure } from '../../runtime/failure.js';
import { readPlace, type SharedState } from '../../state/place.js';
import { hideable, sourceOf } from '../../state/source.js';
import type { Run } from '../command.js';
import { whereFlags } from '../line/where.js';
import { readCertificates } from '../session/connection.js';

/** What a command that may use it is called with. */
export type StateRun = Pick<Run, 'ports' | 'flags'>;

/** What it says of where its books are. */
export interface BookRun extends Pick<Run, 'ports'> {
  readonly flags: Partial<
    Pick<
      Run['flags'],
      'profile' | 'live' | 'sandbox' | 'base-url' | 'state-url' | 'ca-file' | 'timeout' | 'quiet'
    >
  >;
}

export interface LookedForState {
  readonly state: SharedState | null;
  /** Nothing is configured. */
  readonly isEmbedded: boolean;
}

/** By the flags of a command line: each of its books asks, and the settings are read once. */
const looked = new WeakMap<BookRun['flags'], LookedForState>();

/** @throws Failure `usage`, `unsafe`, `local_state` */
export function lookForState(run: BookRun): LookedForState {
  const known = looked.get(run.flags) ?? lookAnew(run);
  looked.set(run.flags, known);
  return known;
}

function lookAnew({ ports, flags }: BookRun): LookedForState {
  const { env, paths, clock, redact } = ports;
  const { profile, live, sandbox, 'base-url': baseUrl, 'state-url': url, 'ca-file': caFile } = flags;
  const input = { flags: { profile, live, sandbox, baseUrl }, env, settings: readSettings(paths) };
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
  return {
    state:
      state === null ? null : { ...state, place: { ...state.place, environment, flags: whereFlags(flags) } },
    isEmbedded: isNothingConfigured(choices, input),
  };
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
