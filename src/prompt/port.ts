/** What the dialogue needs of the service: calls that never throw, each ending in one of four ways a person can act on. */
import type { Bank } from '../contract/catalog.js';

/** Values by their path in the body: `amount`, `payer.document.number`. */
export type Answers = Readonly<Record<string, string>>;

/** A pay-in as the dialogue acts on it and shows it. */
export interface Seen {
  readonly id: string;
  readonly status: string;
  readonly pendingReason: string | null;
  /** With its currency, as the service wrote it. */
  readonly amount: string;
  /** How long the code is still valid at receipt, by the service's own clock; null where no code is awaited. */
  readonly codeValidMs: number | null;
  /** `code_expires_at`: another one means another code. */
  readonly codeExpiresAt: string | null;
  readonly bankReference: string | null;
  /** Why it failed, in words; null where it did not. */
  readonly failure: string | null;
  /** The command that goes on with it later, without the dialogue. */
  readonly resumeCommand: string;
}

export interface CodeLeft {
  /** `code_expires_at`: which code. */
  readonly of: string | null;
  readonly leftMs: number;
}

export type CallEnd =
  /** The operation in hand. */
  | { readonly kind: 'operation'; readonly operation: Seen }
  /** A definite no: nothing was carried out. `code` is the service's or one of ours. */
  | { readonly kind: 'refused'; readonly code: string; readonly text: string }
  /** Certainly not carried out, and it may be tried again. */
  | { readonly kind: 'later'; readonly text: string }
  /** It left, and nobody knows. */
  | { readonly kind: 'unknown'; readonly text: string };

/** Says a line that stays on the screen; resolves once it stands there. */
export type Say = (line: string) => Promise<void>;

export interface ServicePort {
  /** The banks that take a method; null where they can't be had. */
  banks(country: string, method: string): Promise<readonly Bank[] | null>;
  /** A new pay-in with a new key, which is said before anything leaves. */
  create(answers: Answers): Promise<CallEnd>;
  /** The last create again: the same bytes with the same key. */
  repeat(): Promise<CallEnd>;
  /**
   * The one attempt at a code; a lost answer is looked up. The pay-in is read before: where its code has expired for the service, or nothing awaits
   * one, that is the end of the call and nothing was sent.
   */
  confirm(id: string, code: string): Promise<CallEnd>;
  resend(id: string): Promise<CallEnd>;
  lookUp(id: string): Promise<CallEnd>;
  /** How long its code is still valid, by the service's clock; null when that is unknown. */
  codeLeft(id: string): Promise<CodeLeft | null>;
  /** Reads the pay-in until it is final, or until `abort`. */
  follow(id: string): Promise<CallEnd>;
  /** Ends the call that is under way; it then ends by itself, soon. */
  abort(): void;
}
