/** Group commit: requests that arrive together share one transaction, and each is answered once that is durable. */
import { afterArrivals } from '../../runtime/clock.js';
import { datedAnswer, refusalAnswer, type SandboxAnswer, type SandboxRequest } from '../message.js';
import type { Sandbox } from '../sandbox.js';

export interface CommitGroup {
  /** Carries the request out with the others of this moment; `answer` is called once it is durable. */
  add(request: SandboxRequest, answer: (answer: SandboxAnswer) => void): void;
  /** Carries out at once what was added. */
  flush(): void;
}

/** @param onDefect told about every error that became a 503; the others of its group are not touched */
export function groupCommits(
  { handleAll, timeMs }: Pick<Sandbox, 'handleAll' | 'timeMs'>,
  onDefect: (error: Error) => void,
): CommitGroup {
  let waiting: { readonly request: SandboxRequest; readonly answer: (answer: SandboxAnswer) => void }[] = [];
  const flush = (): void => {
    const group = waiting;
    waiting = [];
    if (group.length === 0) return;
    const answers = handleAll(group.map(({ request }) => request));
    for (const [index, { answer }] of group.entries()) {
      const result = answers[index];
      if (result instanceof Error) onDefect(result);
      const isAnswer = result !== undefined && !(result instanceof Error);
      answer(
        isAnswer ? result : datedAnswer(refusalAnswer({ refusal: 'temporarily_unavailable' }), timeMs()),
      );
    }
  };
  return {
    add(request, answer) {
      waiting.push({ request, answer });
      if (waiting.length === 1) afterArrivals(flush);
    },
    flush,
  };
}
