/** What to run next, as a command line that can be pasted: the same profile, address and environment, never a key. Pure. */
import type { Next } from '../../client/ending.js';
import type { EndpointId } from '../../contract/endpoints.js';
import { commandLine, flagWords, svcLine } from '../../runtime/shell.js';
import { withFlags, withoutFlags } from '../line/shell.js';
import { type Where, whereFlags } from '../line/where.js';
import type { Run } from '../command.js';

/** A command line as it was typed, without `svc`, and its flags. */
export type TypedLine = Pick<Run<Where>, 'typed' | 'flags'>;

/** @param run the command line that came to this */
export function nextCommand(next: Next | null, { typed, flags }: TypedLine): string | null {
  if (next === null) return null;
  const there = whereFlags(flags);
  switch (next.kind) {
    case 'repeat':
      return svcLine('requests repeat', there, ['--', next.key]);
    case 'forget':
      return svcLine('requests forget', there, ['--', next.key]);
    case 'same':
      return commandLine(['svc', ...withKey(withoutCode(typed), next.key)]);
    case 'register-again':
      return commandLine(['svc', ...typed]);
    case 'get':
      return svcLine(wordsOf(next.endpointId), there, [next.id]);
    case 'wait':
      return svcLine(wordsOf(next.endpointId), ['--wait', ...there], [next.id]);
    case 'confirm':
      return svcLine('payins confirm', there, [next.id]);
  }
}

function wordsOf(endpointId: EndpointId): string {
  return endpointId.replaceAll('.', ' ');
}

/** A one-time code stands in no log, and a word in its place would be sent as one, which ends the pay-in: whoever has it says it again. */
function withoutCode(typed: readonly string[]): readonly string[] {
  const isRead = typed.some(
    (word, at) => word === '--code=-' || (word === '-' && typed[at - 1] === '--code'),
  );
  return isRead ? typed : withoutFlags(typed, ['--code']);
}

/** A create is only ever run again with the key it had. */
function withKey(typed: readonly string[], key: string | null): readonly string[] {
  const isGiven = typed.some((word) => word === '--idempotency-key' || word.startsWith('--idempotency-key='));
  return key === null || isGiven ? typed : withFlags(typed, flagWords('--idempotency-key', key));
}
