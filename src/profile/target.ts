/** What a command works against, the sandbox inside svc or a service with the key that belongs to it; and where every value of it came from. */
import type { Environment } from '../contract/access.js';
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

/** What every target knows of where its values came from; for `svc doctor`. No key stands in it. */
export interface Provenance {
  readonly environment: Sourced<Environment>;
  readonly profile: Sourced<string> | null;
  readonly baseUrl: Sourced<string> | null;
  /** Masked. */
  readonly key: Sourced<string> | null;
}

interface Defaults {
  /** The country and currency of a body that names none. */
  readonly country: Sourced<string> | null;
  readonly currency: Sourced<string> | null;
}

/** Nothing is configured: the sandbox inside svc. */
export interface EmbeddedTarget extends Defaults {
  readonly kind: 'embedded';
  readonly environment: 'sandbox';
  readonly provenance: Provenance;
}

/** A service somewhere, and the key that belongs to it. */
export interface ServiceTarget extends Defaults {
  readonly kind: 'service';
  readonly environment: Environment;
  /** The production address, without a slash at its end. */
  readonly baseUrl: string;
  /** What `/v2/...` is appended to: the production address, or that and `/sandbox`. */
  readonly serviceUrl: string;
  readonly key: string;
  readonly profile: string | null;
  readonly provenance: Provenance;
  /** For standard error. */
  readonly notes: readonly string[];
}

export type Target = EmbeddedTarget | ServiceTarget;
