/** How a call ended, as the dialogue of a pay-in understands it. Pure. */
import type { Conclusion } from '../../client/conclusion.js';
import { whyFailed } from '../../client/explanation.js';
import { parseJson } from '../../contract/json-bytes.js';
import { isFinal } from '../../contract/operation.js';
import type { CallEnd, Seen } from '../../prompt/port.js';
import { answeredAtMs, type HttpAnswer } from '../../runtime/transport.js';
import type { Sent } from '../call/ending.js';
import { nextCommand, type TypedLine } from '../call/next.js';

/** The end of a call; an operation counts only where it settles the call. */
export function callEndOf({ conversation, conclusion }: Sent, run: TypedLine): CallEnd {
  const { exitCode, error, operation } = conclusion;
  const text = [
    error?.message ?? '',
    ...(error?.details ?? []).map(({ field, code }) => `${field}: ${code}.`),
  ];
  if (exitCode === 12) return { kind: 'unknown', text: text.join(' ') };
  if (operation !== null) {
    const isRead = conversation.retry === 'safe' || conversation.lookup !== null;
    return { kind: 'operation', operation: seenOf(conclusion, isRead, run) };
  }
  if (exitCode === 10 || exitCode === 11) return { kind: 'later', text: text.join(' ') };
  return { kind: 'refused', code: error?.code ?? 'refused', text: text.join(' ') };
}

function seenOf({ operation, answer }: Conclusion, isRead: boolean, run: TypedLine): Seen {
  const value = answer === null ? {} : (parseJson(answer.body) as Readonly<Record<string, unknown>>);
  const textOf = (name: string): string | null => {
    const member = value[name];
    return typeof member === 'string' ? member : null;
  };
  const { id = '', status = '', code = null } = operation ?? {};
  const command = nextCommand({ kind: 'confirm', id }, run) ?? '';
  return {
    id,
    status,
    pendingReason: isFinal(status) ? null : code,
    amount: `${operation?.amount ?? ''} ${operation?.currency ?? ''}`.trim(),
    codeExpiresAt: textOf('code_expires_at'),
    codeValidMs: validMs(textOf('code_expires_at'), textOf('updated_at'), isRead ? answer : null),
    bankReference: operation?.bankReference ?? null,
    failure: operation?.status === 'failed' ? whyFailed(operation) : null,
    resumeCommand: command,
  };
}

/**
 * How long a code is still valid, measured by the service's clocks alone: this machine's may be wrong. A read tells by its `Date`
 * how much of that is over, within what the code ever had.
 */
function validMs(expiresAt: string | null, updatedAt: string | null, read: HttpAnswer | null): number | null {
  const endsMs = Date.parse(expiresAt ?? '');
  const wholeMs = endsMs - Date.parse(updatedAt ?? '');
  if (!(wholeMs >= 0)) return null;
  const nowMs = read === null ? null : answeredAtMs(read);
  return nowMs === null ? wholeMs : Math.max(0, Math.min(wholeMs, endsMs - nowMs));
}
