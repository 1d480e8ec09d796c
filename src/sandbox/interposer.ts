/** The interface of an interposer, which gets every request before the handler and decides what happens to it. */
import type { SandboxAnswer, SandboxRequest } from './message.js';

/** One request that an interposer handles. The first call of `send`, `sendHalf` or `cut` counts; later calls do nothing. */
export interface Exchange {
  /** The bytes as they arrived: nothing is masked. */
  readonly request: SandboxRequest;
  /** Carries the request out. Its changes are durable when this resolves. Rejects if the sandbox failed or is stopping. */
  carryOut(): Promise<SandboxAnswer>;
  /**
   * Sends the answer as the server does: it waits for the deliveries of `deliveredFirst` and applies the interference. Resolves when the
   * answer was sent or the connection was cut.
   */
  send(answer: SandboxAnswer): Promise<void>;
  /** Sends the head and half of the body, then cuts the connection. Resolves after the cut. */
  sendHalf(answer: SandboxAnswer): Promise<void>;
  cut(): void;
  /** Names the fault for the log. The request is then logged when it is over, with the answer that was sent. Call it before `carryOut`. */
  mark(fault: string): void;
  /** Resolves when the client has left, or when nothing more is sent to it. */
  readonly clientGone: Promise<void>;
}

/**
 * Called for each request, except for the page, its data, its stream, and proofs. A reset does not remove the interposer. If it resolves
 * without an answer, the connection is cut; if it rejects, the client gets a 503.
 */
export type Interposer = (exchange: Exchange) => Promise<void>;
