import type { ServerResponse } from 'node:http';
import type { Exchange, Interposer } from '../interposer.js';
import { datedAnswer, unavailableAnswer } from '../message.js';
import type { SandboxAnswer, SandboxRequest } from '../message.js';
import type { Sandbox } from '../sandbox.js';
import { sendAnswer, type AnswerPorts, whenWritten, writeHalf } from './http.js';

interface ExchangePorts extends AnswerPorts {
  readonly carryOut: (request: SandboxRequest) => Promise<SandboxAnswer>;
  readonly faultLog: Sandbox['faultLog'];
  readonly timeMs: () => number;
  readonly onDefect: (error: Error) => void;
}

export async function interpose(
  interposer: Interposer,
  request: SandboxRequest,
  response: ServerResponse,
  isCut: boolean,
  ports: ExchangePorts,
): Promise<void> {
  const { stop, onDefect, faultLog, timeMs } = ports;
  let isOver = false;
  let whenAttemptsEnd: Promise<void> = Promise.resolve();
  let carryOutError: unknown = null;
  const result: { fault: string | null; answer: SandboxAnswer | null } = { fault: null, answer: null };
  const endOnce = async (answer: SandboxAnswer | null, work: () => void | Promise<void>): Promise<void> => {
    if (isOver || response.destroyed) return;
    isOver = true;
    result.answer = answer;
    await work();
    await whenWritten(response);
  };
  const withDate = (answer: SandboxAnswer): SandboxAnswer =>
    'Date' in answer.headers ? answer : datedAnswer(answer, timeMs());
  const send = (answer: SandboxAnswer): Promise<void> =>
    endOnce(answer, () =>
      sendAnswer(withDate(answer), response, isCut, { ...ports, whenAttempted: () => whenAttemptsEnd }),
    );
  const exchange: Exchange = {
    request,
    carryOut: async () => {
      try {
        const answer = await ports.carryOut(request);
        if (answer.deliveryIds !== undefined) whenAttemptsEnd = ports.whenAttempted(answer.deliveryIds);
        return answer;
      } catch (error) {
        carryOutError = error;
        throw error;
      }
    },
    send,
    sendHalf: (answer) =>
      endOnce({ ...answer, interference: { kind: 'truncated' } }, () =>
        writeHalf(withDate(answer), response),
      ),
    cut: () => void endOnce(null, () => void response.destroy()),
    nameFault: (name) => {
      if (result.fault === null) faultLog.holdEntry(request);
      result.fault = name;
    },
    whenClientGone: new Promise((resolve) => {
      if (response.destroyed) resolve();
      else response.once('close', () => resolve());
    }),
  };
  try {
    await interposer(exchange);
    exchange.cut();
  } catch (error) {
    // `carryOutError` was reported already, and errors are expected after `stop`.
    if (error !== carryOutError && !stop.aborted) onDefect(error as Error);
    await send(unavailableAnswer(timeMs()));
  } finally {
    if (result.fault !== null) faultLog.finish(request, result.fault, result.answer);
  }
}
