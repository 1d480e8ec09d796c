import { parentPort, type ResourceLimits, Worker, workerData } from 'node:worker_threads';
import type { ThreadStart } from './ports.js';
import { Failure, type FailureFacts, type FailureKind } from './failure.js';

export interface Thread {
  ask(question: unknown): Promise<unknown>;
  end(): Promise<void>;
}

export type StartThread = (name: string, data: unknown) => Thread;

type Reply =
  | { readonly value: unknown }
  | { readonly failure: { readonly kind: FailureKind; readonly head: string; readonly facts: FailureFacts } }
  | { readonly defect: string | undefined };

const MEMORY_LIMITS = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 };

export function threadStarter(
  { source, isCode, pack }: ThreadStart,
  limits: ResourceLimits = MEMORY_LIMITS,
): StartThread {
  return (name, data) => {
    const worker = new Worker(source, {
      eval: isCode,
      argv: pack === undefined ? [name] : [name, pack],
      workerData: data,
      resourceLimits: limits,
      stderr: true,
    });
    worker.stderr.resume();
    const askers: { resolve: (value: unknown) => void; reject: (reason: unknown) => void }[] = [];
    let [endError, isEnding]: [Error | null, boolean] = [null, false];
    const rejectAll = (error: Error): void => {
      endError ??= error;
      for (const { reject } of askers.splice(0)) reject(endError);
    };
    worker.on('message', (reply: Reply) => {
      const asker = askers.shift();
      if (askers.length === 0 && !isEnding) worker.unref();
      if ('value' in reply) asker?.resolve(reply.value);
      else if ('failure' in reply)
        asker?.reject(new Failure(reply.failure.kind, reply.failure.head, reply.failure.facts));
      else asker?.reject(new Error(reply.defect));
    });
    worker.on('error', (error) => rejectAll(error instanceof Error ? error : new Error(String(error))));
    worker.on('exit', () => rejectAll(new Error(`the thread ${name} ended`)));
    worker.unref();
    return {
      ask: (question) =>
        new Promise((resolve, reject) => {
          if (endError !== null) {
            reject(endError);
            return;
          }
          askers.push({ resolve, reject });
          worker.ref();
          worker.postMessage(question);
        }),
      end: async () => {
        if (endError !== null) return;
        isEnding = true;
        worker.ref();
        const threadEnd = new Promise((resolve) => worker.once('exit', resolve));
        worker.postMessage(null);
        await threadEnd;
      },
    };
  };
}

export interface Answerer {
  readonly answer: (question: unknown) => unknown;
  readonly close: () => void;
}

export function answerQuestions(open: (data: unknown) => Answerer): void {
  const port = parentPort;
  if (port === null) return;
  const { answer, close } = openAnswerer(open);
  const replyTo = async (question: unknown): Promise<void> => {
    try {
      port.postMessage({ value: await answer(question) } satisfies Reply);
    } catch (error) {
      port.postMessage(replyOf(error));
    }
  };
  port.on('message', (question: unknown) => {
    if (question !== null) void replyTo(question);
    else {
      close();
      port.close();
    }
  });
}

function openAnswerer(open: (data: unknown) => Answerer): Answerer {
  try {
    return open(workerData);
  } catch (error) {
    const answer = (): never => {
      throw error;
    };
    return { answer, close: () => undefined };
  }
}

function replyOf(error: unknown): Reply {
  if (!(error instanceof Failure)) return { defect: error instanceof Error ? error.stack : String(error) };
  const { kind, head, facts } = error;
  return { failure: { kind, head, facts: { ...facts, cause: undefined } } };
}
