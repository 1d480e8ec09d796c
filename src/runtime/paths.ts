/** Where files live, by the XDG base directories, on Linux and macOS alike. */
import { join } from 'node:path';

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

/** The four folders for an environment; nothing is created. Relative values are ignored, as XDG says. */
export function pathsFrom(env: Readonly<Record<string, string | undefined>>, home: string): Paths {
  const folder = (variable: string, ...fallback: string[]): string => {
    const value = env[variable];
    const base = value?.startsWith('/') === true ? value : join(env['HOME'] ?? home, ...fallback);
    return join(base, 'svc');
  };
  return {
    config: folder('XDG_CONFIG_HOME', '.config'),
    data: folder('XDG_DATA_HOME', '.local', 'share'),
    state: folder('XDG_STATE_HOME', '.local', 'state'),
    cache: folder('XDG_CACHE_HOME', '.cache'),
  };
}
