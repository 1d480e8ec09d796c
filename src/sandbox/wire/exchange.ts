/** One request in the hands of an interposer: its answer leaves once, in one of the ways that there are. */
import type { ServerResponse } from 'node:http';
import type { Exchange, Interposer } from '../interposer.js';
import { datedAnswer, type SandboxAnswer, type SandboxRequest } from '../message.js';
import type { Sandbox } from '../sandbox.js';
import { carry, type CarryPorts, whenWritten, writeHalf } from './http.js';

interface Arrived {
  readonly request: SandboxRequest;
  readonly response: ServerResponse;
  /** There is more of the request, which was not read. */
  readonly isCut: boolean;
}

interface ExchangePorts extends CarryPorts {
  /** @throws where the sandbox failed or is stopping */
  readonly carryOut: (request: SandboxRequest) => Promise<SandboxAnswer>;
  readonly faultLog: Sandbox['faultLog'];
  /** What a client gets where the interposer fails. */
  readonly unavailable: () => SandboxAnswer;
  /** Sandbox time in ms: an answer that does not say when it was made gets it. */
  readonly timeMs: () => number;
  /** Called for what the interposer threw. */
  readonly onDefect: (error: Error) => void;
}

/** Resolves when the exchange is over, as far as the interposer has to do with it. */
export async function interpose(
  interposer: Interposer,
  arrived: Arrived,
  ports: ExchangePorts,
): Promise<void> {
  const { request, response, isCut } = arrived;
  const { stopping, onDefect, unavailable, faultLog } = ports;
  let isOver = false;
  /** What goes first was said in the turn in which it was made: later, nobody would hear of it. */
  let whenAttempted: Promise<void> = Promise.resolve();
  let failed: unknown = null;
  const end: { fault: string | null; sent: SandboxAnswer | null } = { fault: null, sent: null };
  const once = async (answer: SandboxAnswer | null, work: () => void | Promise<void>): Promise<void> => {
    if (isOver || response.destroyed) return;
    isOver = true;
    end.sent = answer;
    await work();
    await whenWritten(response);
  };
  const dated = (answer: SandboxAnswer): SandboxAnswer =>
    'Date' in answer.headers ? answer : datedAnswer(answer, ports.timeMs());
  const send = (answer: SandboxAnswer): Promise<void> =>
    once(answer, () =>
      carry(dated(answer), response, isCut, { ...ports, whenAttempted: () => whenAttempted }),
    );
  const exchange: Exchange = {
    request,
    carryOut: async () => {
      try {
        const answer = await ports.carryOut(request);
        if (answer.deliveredFirst !== undefined) whenAttempted = ports.whenAttempted(answer.deliveredFirst);
        return answer;
      } catch (error) {
        failed = error;
        throw error;
      }
    },
    send,
    sendHalf: (answer) =>
      once({ ...answer, interference: { kind: 'truncated' } }, () => writeHalf(dated(answer), response)),
    cut: () => void once(null, () => void response.destroy()),
    mark: (name) => {
      if (end.fault === null) faultLog.mark(request);
      end.fault = name;
    },
    clientGone: new Promise((resolve) => {
      if (response.destroyed) resolve();
      else response.once('close', () => resolve());
    }),
  };
  try {
    await interposer(exchange);
    exchange.cut();
  } catch (error) {
    // What the sandbox failed with was told already, and nobody is to be told that it was stopped.
    if (error !== failed && !stopping.aborted) onDefect(error as Error);
    await send(unavailable());
  } finally {
    if (end.fault !== null) faultLog.finish(request, end.fault, end.sent);
  }
}
