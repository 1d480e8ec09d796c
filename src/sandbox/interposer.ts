/** An interposer gets every request before the handler and decides what happens to it. */
import type { SandboxAnswer, SandboxRequest } from './message.js';

/** A request has one answer, so only the first call of `send`, `sendHalf` or `cut` counts. */
export interface Exchange {
  /** The bytes are as they arrived, so secrets in them are not masked. */
  readonly request: SandboxRequest;
  /** Resolves when the changes are durable. Rejects if the sandbox failed or is stopping. */
  carryOut(): Promise<SandboxAnswer>;
  /** Resolves when the answer was sent or the connection was cut. */
  send(answer: SandboxAnswer): Promise<void>;
  /** Sends half of the body, and resolves after the connection was cut. */
  sendHalf(answer: SandboxAnswer): Promise<void>;
  cut(): void;
  /** Names the fault for the log. Call it before `carryOut`. */
  mark(fault: string): void;
  /** Resolves when the client has left, or when nothing more is sent to it. */
  readonly clientGone: Promise<void>;
}

/** If an interposer sends no answer, the connection is cut. If an interposer rejects, the client gets a 503. */
export type Interposer = (exchange: Exchange) => Promise<void>;
