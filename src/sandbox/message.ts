/** What goes into the sandbox's handler and what comes out of it: bytes and text, no framework. */

export interface SandboxRequest {
  readonly method: string;
  /** The request target as sent: path and query, not decoded. */
  readonly target: string;
  /** Name and value pairs as received: duplicates are kept, names in any case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

/** What an adapter does to an exchange whose request met an armed fault. */
export type Interference =
  /** The connection is cut; the request was not carried out (`drop-before`) or was (`drop-after`). */
  | { readonly kind: 'drop-before' | 'drop-after' }
  /** The answer is held back that long. */
  | { readonly kind: 'delay'; readonly delayMs: number };

export interface SandboxAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly interference: Interference | null;
}

/** The whole service as a function. Synchronous: an answer returned is an answer whose effects are in the store. */
export type Handler = (request: SandboxRequest) => SandboxAnswer;
