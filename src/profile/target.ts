/** What a command works against: the sandbox inside svc, or a service with the key that belongs to it. */
import type { Environment } from '../contract/access.js';
import type { Sourced } from './sourced.js';

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
