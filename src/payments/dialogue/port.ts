import type { Bank } from '../../contract/catalog.js';

/** Values by their path in the body: `amount`, `payer.document.number`. */
export type Answers = Readonly<Record<string, string>>;

export interface OperationView {
  readonly id: string;
  readonly status: string;
  readonly pendingReason: string | null;
  readonly amount: string;
  readonly codeValidMs: number | null;
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
  | { readonly kind: 'refused'; readonly code: string; readonly text: string }
  | { readonly kind: 'later'; readonly text: string }
  | { readonly kind: 'unknown'; readonly text: string };

export type Say = (line: string) => Promise<void>;

export interface ServicePort {
  banks(country: string, method: string): Promise<readonly Bank[] | null>;
  create(answers: Answers): Promise<CallEnd>;
  repeat(): Promise<CallEnd>;
  confirm(id: string, code: string): Promise<CallEnd>;
  resend(id: string): Promise<CallEnd>;
  lookUp(id: string): Promise<CallEnd>;
  readCodeValidity(id: string): Promise<CodeValidity | null>;
  follow(id: string): Promise<CallEnd>;
  abort(): void;
}
