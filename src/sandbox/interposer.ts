/** What may stand between a server of the sandbox and its handler: it sees every request as it was sent, and says what becomes of it. */
import type { SandboxAnswer, SandboxRequest } from './message.js';

/** One request on its way. The first of `send`, `sendHalf` and `cut` counts; what is said after it does nothing. */
export interface Exchange {
  /** With its bytes as they came, before anything is masked. */
  readonly request: SandboxRequest;
  /** Does what the request asks for, durable when it resolves. Rejects where the sandbox failed or is stopping. */
  carryOut(): Promise<SandboxAnswer>;
  /** As the server does it, with what a fault does to it and after the deliveries that go first. Resolves when it is over. */
  send(answer: SandboxAnswer): Promise<void>;
  /** The whole head and half of the body, then the connection is cut. Resolves when it is. */
  sendHalf(answer: SandboxAnswer): Promise<void>;
  cut(): void;
  /**
   * The name of what goes wrong with it, for the log, which then has the request once it is over, with what was sent in the end. Said before
   * it is carried out.
   */
  mark(fault: string): void;
  /** Resolves when the client has left, and when nothing more goes to it. */
  readonly gone: Promise<void>;
}

/**
 * Asked for each request but those of the page, what the page reads, its stream and proofs. A reset asks it, too, and leaves it
 * where it is. One that resolves without an answer has cut the connection; one that rejects is a defect, answered with 503.
 */
export type Interposer = (exchange: Exchange) => Promise<void>;
