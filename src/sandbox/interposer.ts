import type { SandboxAnswer, SandboxRequest } from './message.js';

/** A request has one answer, so only the first call of `send`, `sendHalf` or `cut` counts. */
export interface Exchange {
  readonly request: SandboxRequest;
  /** Resolves when the changes are durable. Rejects if the sandbox failed or is stopping. */
  carryOut(): Promise<SandboxAnswer>;
  send(answer: SandboxAnswer): Promise<void>;
  sendHalf(answer: SandboxAnswer): Promise<void>;
  cut(): void;
  mark(fault: string): void;
  readonly clientGone: Promise<void>;
}

/** If an interposer sends no answer, the connection is cut. If an interposer rejects, the client gets a 503. */
export type Interposer = (exchange: Exchange) => Promise<void>;
