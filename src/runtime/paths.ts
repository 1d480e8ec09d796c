/** Where files live, by the XDG base directories, on Linux and macOS alike. */
import { join } from 'node:path';
import { Failure } from './failure.js';

export interface Paths {
  /** The settings file and, where the user chose it, keys. */
  readonly config: string;
  /** The embedded sandbox's store. */
  readonly data: string;
  /** The journal of requests, checkpoints, batches: what must survive. */
  readonly state: string;
  /** The catalog: what may be deleted at any time. */
  readonly cache: string;
}

/**
 * The four folders for an environment; nothing is created. Relative values are ignored, HOME's too: what is kept must not
 * depend on the folder where a command was typed, or another run would not find what this one has paid.
 * @param accountHome asked where HOME is no absolute path; null where the account has none
 * @throws Failure `local_state`, of a folder that is asked for, where there is no home to put it into
 */
export function pathsFrom(
  env: Readonly<Record<string, string | undefined>>,
  accountHome: () => string | null,
): Paths {
  const absolute = (value: string | null | undefined): string | null =>
    value?.startsWith('/') === true ? value : null;
  const homeFolder = (variable: string): string => {
    const home = absolute(env['HOME']) ?? absolute(accountHome());
    if (home !== null) return home;
    throw new Failure(
      'local_state',
      `There is no folder to keep what was sent: HOME is no absolute path, and this account has no home. Set HOME or ${variable} to a folder that stays. Nothing was sent.`,
    );
  };
  const folder = (variable: string, ...below: string[]): string =>
    join(absolute(env[variable]) ?? join(homeFolder(variable), ...below), 'svc');
  // When they are asked for: help and the version need none.
  return {
    get config() {
      return folder('XDG_CONFIG_HOME', '.config');
    },
    get data() {
      return folder('XDG_DATA_HOME', '.local', 'share');
    },
    get state() {
      return folder('XDG_STATE_HOME', '.local', 'state');
    },
    get cache() {
      return folder('XDG_CACHE_HOME', '.cache');
    },
  };
}
