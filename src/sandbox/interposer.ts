import type { SandboxAnswer, SandboxRequest } from './message.js';

/** A request has one answer, so only the first call of `send`, `sendHalf` or `cut` counts. */
export interface Exchange {
  readonly request: SandboxRequest;
  /** Resolves when the changes of the request are durable. */
  carryOut(): Promise<SandboxAnswer>;
  send(answer: SandboxAnswer): Promise<void>;
  sendHalf(answer: SandboxAnswer): Promise<void>;
  cut(): void;
  nameFault(fault: string): void;
  readonly whenClientGone: Promise<void>;
}

export type Interposer = (exchange: Exchange) => Promise<void>;
