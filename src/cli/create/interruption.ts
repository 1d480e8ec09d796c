/** What broke while a keyed request was under way, as an error with the way on. */
import { conclude } from '../../client/conclusion.js';
import type { Conversation } from '../../client/client.js';
import { Failure } from '../../runtime/failure.js';
import { Stopped } from '../../runtime/ports.js';
import { ReaderGone } from '../../runtime/streams.js';
import { nextCommand, type TypedLine } from '../call/next.js';

/**
 * What broke between the sending and the end, as an error that names the key and how to go on: the request is in the journal.
 * @param conversation null where it broke before anything was known
 */
export function interrupted(
  error: unknown,
  conversation: Conversation | null,
  idempotencyKey: string,
  run: TypedLine,
): unknown {
  if (error instanceof ReaderGone || error instanceof Stopped || !(error instanceof Error)) return error;
  const known =
    error instanceof Failure ? error : new Failure('defect', `This is a defect of svc: ${error.message}`);
  const failure = new Failure(known.kind, known.head, {
    ...known.facts,
    outcome: conversation === null ? 'unknown' : conclude(conversation).outcome,
    idempotencyKey,
    nextCommand: nextCommand({ kind: 'repeat', key: idempotencyKey }, run) ?? undefined,
    cause: error,
  });
  failure.stack = error.stack ?? '';
  return failure;
}
