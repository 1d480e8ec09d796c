/** A value together with where it came from, so that a message and `svc doctor` can say what to change. Pure. */
import { Failure } from '../runtime/failure.js';
import type { Environ } from '../runtime/ports.js';

export type Source = 'flag' | 'variable' | 'profile' | 'default';

/** A value and where it came from; `name` is what a person would change: `--live`, `SVC_ENV`, `profile acme`, `the default`. */
export interface Sourced<T> {
  readonly value: T;
  readonly source: Source;
  readonly name: string;
}

/** A value from the command line; undefined where it was not given. */
export function flag<T>(value: T | undefined, name: string): Sourced<T> | null {
  return value === undefined ? null : { value, source: 'flag', name };
}

/**
 * A value from the environment.
 * @throws Failure `usage` where it is set but empty: it says that something was meant, and not what
 */
export function variable(env: Readonly<Environ>, name: string): Sourced<string> | null {
  const value = env[name];
  if (value === '')
    throw new Failure('usage', `${name} is set but empty. Give it a value or unset it. Nothing was sent.`);
  return value === undefined ? null : { value, source: 'variable', name };
}
