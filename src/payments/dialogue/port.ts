/** The service as the dialogue needs it. A failure is returned as a `CallEnd`, and only a defect is thrown. */
import type { Bank } from '../../contract/catalog.js';

/** Values by their path in the body: `amount`, `payer.document.number`. */
export type Answers = Readonly<Record<string, string>>;

export interface OperationView {
  readonly id: string;
  readonly status: string;
  readonly pendingReason: string | null;
  readonly amount: string;
  /** The time for which the code stays valid after the answer, by the service's clock. Null if no code is awaited. */
  readonly codeValidMs: number | null;
  /** `code_expires_at` of the pay-in. A changed value means that there is a new code. */
  readonly codeExpiresAt: string | null;
  readonly bankReference: string | null;
  readonly failure: string | null;
  readonly resumeCommand: string;
}

export interface CodeValidity {
  readonly codeExpiresAt: string | null;
  readonly validMs: number;
}

export type CallEnd =
  | { readonly kind: 'operation'; readonly operation: OperationView }
  /** Nothing was carried out. `code` comes from the service or from svc itself. */
  | { readonly kind: 'refused'; readonly code: string; readonly text: string }
  /** The call was certainly not carried out, and may be tried again. */
  | { readonly kind: 'later'; readonly text: string }
  | { readonly kind: 'unknown'; readonly text: string };

/** Resolves once the line is on the screen. */
export type Say = (line: string) => Promise<void>;

export interface ServicePort {
  banks(country: string, method: string): Promise<readonly Bank[] | null>;
  /** Prints the idempotency key before anything is sent. */
  create(answers: Answers): Promise<CallEnd>;
  repeat(): Promise<CallEnd>;
  /** Reads the pay-in, then sends the code once. Sends nothing if the code has expired or no code is awaited. */
  confirm(id: string, code: string): Promise<CallEnd>;
  resend(id: string): Promise<CallEnd>;
  lookUp(id: string): Promise<CallEnd>;
  readCodeValidity(id: string): Promise<CodeValidity | null>;
  follow(id: string): Promise<CallEnd>;
  abort(): void;
}
