/** The filter runs in a thread, because a signal can stop it there and its memory is limited. */
import { Failure } from '../runtime/failure.js';
import { type Ports, untilStopped } from '../runtime/ports.js';
import { answerQuestions, threadStarter } from '../runtime/thread.js';

const THREAD_LIMITS = { maxOldGenerationSizeMb: 512 };
const FILTER_CRASH = /^(RuntimeError|RangeError|the thread )/;

export async function startJqFilter(
  expression: string,
  { thread, signal }: Pick<Ports, 'thread' | 'signal'>,
): Promise<(json: Uint8Array) => Promise<string>> {
  if (thread === undefined) return filterInProcess(expression);
  const worker = threadStarter(thread, THREAD_LIMITS)('output/jq-thread', expression);
  const filter = (json: Uint8Array): Promise<string> =>
    untilStopped(worker.ask(json) as Promise<string>, signal).catch((error: unknown) => {
      if (error instanceof Failure || !FILTER_CRASH.test((error as Error).message)) throw error;
      const facts = { code: 'jq_failed', outcome: 'sent', cause: error } as const;
      throw new Failure('defect', '--jq needs too much memory for it.', facts);
    });
  await filter(new Uint8Array());
  return filter;
}

async function filterInProcess(expression: string): Promise<(json: Uint8Array) => Promise<string>> {
  const { createJqFilter } = await import('./jq.js');
  const filter = await createJqFilter(expression);
  return (json) => Promise.resolve(filter(json));
}

answerQuestions((expression) => {
  const filter = filterInProcess(String(expression));
  return { answer: async (json) => (await filter)(json as Uint8Array), close: () => undefined };
});
