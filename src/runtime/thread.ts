/** The port to threads: a part of the program that runs beside it, asked one question after the other. */
import { parentPort, type ResourceLimits, Worker, workerData } from 'node:worker_threads';
import type { ThreadStart } from './ports.js';
import { Failure, type FailureFacts, type FailureKind } from './failure.js';

/** Questions and answers are copied: plain data and bytes; a question is not null. */
export interface Thread {
  /** Answered in the order asked. @throws Failure as the thread threw it */
  ask(question: unknown): Promise<unknown>;
  /** Once every question is answered. */
  end(): Promise<void>;
}

/** @param name the part of the program to run there @param data what it begins with */
export type StartThread = (name: string, data: unknown) => Thread;

type Reply =
  | { readonly value: unknown }
  | { readonly failure: { readonly kind: FailureKind; readonly head: string; readonly facts: FailureFacts } }
  | { readonly defect: string | undefined };

/** A thread does little at a time: its memory stays small. In megabytes. */
const LIMITS = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 };

/** Starts the threads of a program. */
export function threadsOf(
  { source, isCode, pack }: ThreadStart,
  limits: ResourceLimits = LIMITS,
): StartThread {
  return (name, data) => {
    const worker = new Worker(source, {
      eval: isCode,
      argv: pack === undefined ? [name] : [name, pack],
      workerData: data,
      resourceLimits: limits,
      stderr: true,
    });
    // What Node itself says there (warnings, NODE_DEBUG) is for nobody; errors come as replies and events.
    worker.stderr.resume();
    const asked: { resolve: (value: unknown) => void; reject: (reason: unknown) => void }[] = [];
    let [gone, isEnding]: [Error | null, boolean] = [null, false];
    const turnAway = (error: Error): void => {
      gone ??= error;
      for (const { reject } of asked.splice(0)) reject(gone);
    };
    worker.on('message', (reply: Reply) => {
      const next = asked.shift();
      // Only a question holds the process, and the wait for the end.
      if (asked.length === 0 && !isEnding) worker.unref();
      if ('value' in reply) next?.resolve(reply.value);
      else if ('failure' in reply)
        next?.reject(new Failure(reply.failure.kind, reply.failure.head, reply.failure.facts));
      else next?.reject(new Error(reply.defect));
    });
    worker.on('error', (error) => turnAway(error instanceof Error ? error : new Error(String(error))));
    worker.on('exit', () => turnAway(new Error(`the thread ${name} ended`)));
    worker.unref();
    return {
      ask: (question) =>
        new Promise((resolve, reject) => {
          if (gone !== null) {
            reject(gone);
            return;
          }
          asked.push({ resolve, reject });
          worker.ref();
          worker.postMessage(question);
        }),
      end: async () => {
        if (gone !== null) return;
        isEnding = true;
        worker.ref();
        const ended = new Promise((resolve) => worker.once('exit', resolve));
        worker.postMessage(null);
        await ended;
      },
    };
  };
}

/** What answers in a thread. */
export interface Answerer {
  readonly answer: (question: unknown) => unknown;
  readonly close: () => void;
}

/**
 * The thread's own side: answers until it gets the message to end.
 * @param open makes what answers out of the data that the thread begins with
 */
export function answerQuestions(open: (data: unknown) => Answerer): void {
  const port = parentPort;
  if (port === null) return;
  const { answer, close } = opened(open);
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

/** What can't even begin answers every question with the reason. */
function opened(open: (data: unknown) => Answerer): Answerer {
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
