/** The filter of `--jq` in a thread: it ends with the process however long it runs, and what it takes is bounded. */
import { Failure } from '../runtime/failure.js';
import { type Ports, untilStopped } from '../runtime/ports.js';
import { answerQuestions, threadsOf } from '../runtime/thread.js';

/** More than is needed: what the results take, and jq itself, is bounded where it is bundled. */
const LIMITS = { maxOldGenerationSizeMb: 512 };
/** jq has no more memory, or its results have ended the thread. */
const TOO_MUCH = /^(RuntimeError|RangeError|the thread )/;

/**
 * @returns filters an answer
 * @throws Stopped where the signal comes first; Failure `usage` for an expression that does not compile
 */
export async function startJqFilter(
  expression: string,
  { thread, signal }: Pick<Ports, 'thread' | 'signal'>,
): Promise<(json: Uint8Array) => Promise<string>> {
  if (thread === undefined) return filterHere(expression);
  const worker = threadsOf(thread, LIMITS)('output/jq-thread', expression);
  const filter = (json: Uint8Array): Promise<string> =>
    untilStopped(worker.ask(json) as Promise<string>, signal).catch((error: unknown) => {
      if (error instanceof Failure || !TOO_MUCH.test((error as Error).message)) throw error;
      const facts = { code: 'jq_failed', outcome: 'sent', cause: error } as const;
      throw new Failure('defect', '--jq needs too much memory for it.', facts);
    });
  await filter(new Uint8Array());
  return filter;
}

async function filterHere(expression: string): Promise<(json: Uint8Array) => Promise<string>> {
  const { createJqFilter } = await import('./jq.js');
  const filter = await createJqFilter(expression);
  return (json) => Promise.resolve(filter(json));
}

answerQuestions((expression) => {
  const filter = filterHere(String(expression));
  return { answer: async (json) => (await filter)(json as Uint8Array), close: () => undefined };
});
