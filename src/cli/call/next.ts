/** What to run next, as a command line that can be pasted: the same profile, address and environment, never a key. Pure. */
import type { Next } from '../../client/ending.js';
import type { EndpointId } from '../../contract/endpoints.js';
import { commandLine, svcLine } from '../../runtime/shell.js';
import { withFlags } from '../line/shell.js';
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

/** A one-time code is typed again: it stands in no log. */
function withoutCode(typed: readonly string[]): readonly string[] {
  return typed.map((word, at) => {
    if (typed[at - 1] === '--code' && word !== '-') return 'CODE';
    return word.startsWith('--code=') ? '--code=CODE' : word;
  });
}

/** A create is only ever run again with the key it had. */
function withKey(typed: readonly string[], key: string | null): readonly string[] {
  const isGiven = typed.some((word) => word === '--idempotency-key' || word.startsWith('--idempotency-key='));
  return key === null || isGiven ? typed : withFlags(typed, ['--idempotency-key', key]);
}
