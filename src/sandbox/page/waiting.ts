/** What an operation waits for, in words. */
import { duration, asWords } from './format.js';
import { sandboxNowMs } from './server.js';
import type { Listed } from './types.js';

export function waitingFor({ waits_for: waits, operation }: Listed): string {
  const method = asWords(operation.method);
  const now = sandboxNowMs();
  if (waits === null) return method;
  const rest = waits.until === null || now === null ? null : duration(Date.parse(waits.until) - now);
  const isOver = waits.until !== null && now !== null && Date.parse(waits.until) < now;
  switch (waits.kind) {
    case 'code':
      return `${method} waits for its code${rest === null ? '' : isOver ? ', which has expired' : `, valid for ${rest}`}`;
    case 'payment':
      return `${method} waits for the payment${rest === null ? '' : `, for another ${rest}`}`;
    case 'bank':
      return `${method} waits for the bank${rest === null ? '' : `, which answers in ${rest}`}`;
  }
}
