import type { Conversation } from '../client/client.js';
import { conclude, type Conclusion } from '../client/conclusion.js';
import type { OperationFacts } from '../contract/operation-facts.js';
import { EXIT_CODES, Failure, type FailureKind } from '../runtime/failure.js';
import { type Ports, Stopped } from '../runtime/ports.js';
import { answeredAtMs, type HttpAnswer } from '../runtime/transport.js';
import type { Printer } from './printer.js';
import type { NextCommand } from '../client/ending.js';
import { commandLine, flagWords, svcLine } from '../runtime/shell.js';
import { withFlags, withoutFlags } from './line/typed-words.js';
import { type Where, whereFlags } from '../session/place-flags.js';
import type { Run } from './command.js';

export interface CallResult {
  readonly conversation: Conversation;
  readonly conclusion: Conclusion;
}

export function concludeCall(conversation: Conversation): CallResult {
  return { conversation, conclusion: conclude(conversation) };
}

export interface Ending {
  readonly error: Error | null;
  readonly isShown: boolean;
  readonly lastSeen: SeenOperation | null;
}

type SeenOperation = Pick<OperationFacts, 'id' | 'status'>;

interface EndingParts {
  readonly failure: Failure | null;
  readonly printError: Error | null;
  readonly lastSeen?: SeenOperation | null;
}

export function endingOf(
  { signal }: Pick<Ports, 'signal'>,
  { idempotencyKey }: Pick<Conversation, 'idempotencyKey'>,
  { failure, printError, lastSeen = null }: EndingParts,
): Ending {
  const isShown = printError === null;
  const reason: unknown = signal.reason;
  if (!(reason instanceof Stopped)) return { error: failure ?? printError, isShown, lastSeen };
  const answeredFailure = new Failure('defect', 'The service had already answered the request.', {
    outcome: 'sent',
    idempotencyKey: idempotencyKey ?? undefined,
  });
  return {
    error: new Stopped(reason.signalName, reason.exitCode, failure ?? answeredFailure),
    isShown,
    lastSeen,
  };
}

export async function printAnswer(
  answer: HttpAnswer | null,
  { idempotencyKey }: Pick<Conversation, 'idempotencyKey'>,
  printer: Pick<Printer, 'answer'>,
): Promise<Error | null> {
  try {
    await printer.answer(answer?.body ?? new Uint8Array(), answer === null ? null : answeredAtMs(answer));
    return null;
  } catch (error) {
    return printFailure(error, idempotencyKey);
  }
}

export async function durableEnding(
  ending: Ending,
  { idempotencyKey }: Pick<Conversation, 'idempotencyKey'>,
  { output }: Pick<Ports, 'output'>,
): Promise<Ending> {
  if (!ending.isShown) return ending;
  try {
    await output.durable();
    return ending;
  } catch (error) {
    const endError = ending.error instanceof Stopped ? ending.error : printFailure(error, idempotencyKey);
    return { ...ending, error: endError, isShown: false };
  }
}

function printFailure(error: unknown, idempotencyKey: string | null): Error {
  if (!(error instanceof Failure)) return error instanceof Error ? error : new Error(String(error));
  // "Run this again" is cut off, because a create is repeated only with its idempotency key.
  const head = idempotencyKey === null ? error.head : error.head.replace(/, then run this again\.$/, '.');
  const message = `The request was carried out, but svc could not print the answer: ${head}`;
  const key = idempotencyKey ?? undefined;
  return new Failure(error.kind, message, { ...error.facts, outcome: 'sent', idempotencyKey: key });
}

const KIND_OF_EXIT_CODE = new Map<number, FailureKind>(
  Object.entries(EXIT_CODES).map(([kind, code]) => [code, kind as FailureKind]),
);

export function failureOf({ conclusion, conversation }: CallResult, run: TypedLine): Failure {
  const { error, exitCode, outcome, retryable, next, mayBeElsewhere } = conclusion;
  const { idempotencyKey } = conversation;
  const message = error?.message ?? 'The request did not succeed.';
  const hint =
    mayBeElsewhere && idempotencyKey !== null
      ? ` If this address is not the service, nothing was paid: ${nextCommand({ kind: 'forget', key: idempotencyKey }, run) ?? ''}`
      : '';
  return new Failure(KIND_OF_EXIT_CODE.get(exitCode) ?? 'defect', message + hint, {
    code: error?.code,
    details: error?.details ?? undefined,
    status: error?.status ?? undefined,
    outcome,
    concernsMoney: conversation.retry !== 'safe',
    retryable,
    idempotencyKey: idempotencyKey ?? undefined,
    requestId: error?.requestId ?? undefined,
    nextCommand: nextCommand(next, run) ?? undefined,
  });
}

export type TypedLine = Pick<Run<Where>, 'typed' | 'flags'>;

export function nextCommand(next: NextCommand | null, { typed, flags }: TypedLine): string | null {
  if (next === null) return null;
  const placeFlags = whereFlags(flags);
  switch (next.kind) {
    case 'repeat':
      return repeatLine(next.key, { flags });
    case 'forget':
      return svcLine('requests forget', placeFlags, ['--', next.key]);
    case 'same':
      return commandLine(['svc', ...withKey(withoutCode(typed), next.key)]);
    case 'register-again':
      return commandLine(['svc', ...typed]);
    case 'get':
      return svcLine(next.endpointId.replaceAll('.', ' '), placeFlags, [next.id]);
    case 'wait':
      return svcLine(next.endpointId.replaceAll('.', ' '), ['--wait', ...placeFlags], [next.id]);
    case 'confirm':
      return svcLine('payins confirm', placeFlags, [next.id]);
  }
}

export function repeatLine(key: string, { flags }: Pick<TypedLine, 'flags'>): string {
  return svcLine('requests repeat', whereFlags(flags), ['--', key]);
}

/** A one-time code gets no placeholder, because the placeholder would be sent as a code and end the pay-in. */
function withoutCode(typed: readonly string[]): readonly string[] {
  const isCodeFromInput = typed.some(
    (word, at) => word === '--code=-' || (word === '-' && typed[at - 1] === '--code'),
  );
  return isCodeFromInput ? typed : withoutFlags(typed, ['--code']);
}

/** A repeat of a create must keep its idempotency key, because another key could pay twice. */
function withKey(typed: readonly string[], key: string | null): readonly string[] {
  const hasKey = typed.some((word) => word === '--idempotency-key' || word.startsWith('--idempotency-key='));
  return key === null || hasKey ? typed : withFlags(typed, flagWords('--idempotency-key', key));
}
