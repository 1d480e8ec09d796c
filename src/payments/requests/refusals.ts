import { type Age, unsureMembers, unsureText } from '../../contract/moment.js';
import type { Obstacle } from '../../storage/journal/precedence.js';
import type { JournalRequest } from '../../storage/journal/request.js';
import { isoSeconds } from '../../runtime/clock.js';
import { Failure } from '../../runtime/failure.js';
import { flagWords, svcLine } from '../../runtime/shell.js';
import { nextCommand, type TypedLine } from '../../command/ending.js';
import { type Where, whereFlags, whereFlagsIn, whereIn } from '../../session/place-flags.js';
import type { Session } from '../../session/session.js';
import { isFinal } from '../../contract/operation.js';
import { isOneOf, PAID_STATES } from '../../storage/batches/row-state.js';
import type { Evidence } from '../known/payments.js';

export function requestGoneFailure({ flags }: Pick<TypedLine, 'flags'> = { flags: {} }): Failure {
  const listCommand = svcLine('requests list', whereFlags(flags));
  return new Failure(
    'not_found',
    'No request with this key waits for an answer: svc knows its outcome, or this machine never sent it.',
    { nextCommand: listCommand },
  );
}

export function absentFailure(requests: readonly JournalRequest[], run: TypedLine): Failure {
  const forgottenRequest = requests.find(({ state }) => state === 'forgotten');
  if (forgottenRequest !== undefined) {
    const { environment, firstLeftMs, idempotencyKey } = forgottenRequest;
    const requestPlace = { flags: whereIn(environment, run.flags, true) };
    return new Failure(
      'not_found',
      `A request with this key was sent at ${isoSeconds(firstLeftMs)}. Its outcome was never known, and somebody removed it: it may have paid. ` +
        `Nothing was sent now. Look for its reference in ${eventsLine(requestPlace)}. ${decideText(idempotencyKey, requestPlace)}.`,
      { code: 'forgotten', outcome: 'unknown', idempotencyKey },
    );
  }
  const request = requests.findLast(({ settled }) => settled !== null);
  if (request === undefined || request.settled === null) return requestGoneFailure(run);
  const { operation, status } = request.settled;
  return new Failure(
    'not_found',
    `The request with this key has an answer: it made operation ${operation}, which was ${status} when last seen. Nothing was sent.`,
    { nextCommand: svcLine('transactions get', whereFlagsIn(request.environment, run.flags), [operation]) },
  );
}

export function tooOldFailure(
  { firstLeftMs, idempotencyKey }: JournalRequest,
  age: Age,
  run: TypedLine,
): Failure {
  const facts = { outcome: 'unknown', idempotencyKey } as const;
  const head = `A request with this key was sent at ${isoSeconds(firstLeftMs)}. Its outcome is not known.`;
  const lookText = `Nothing was sent. Look for its reference in ${eventsLine(run)}.`;
  if (age.kind === 'known')
    return new Failure(
      'unsafe',
      `${head} After 23 hours the service may have forgotten its key, so it could pay twice. ${lookText} ${decideText(idempotencyKey, run)}.`,
      { ...facts, code: 'too_old' },
    );
  const details = unsureMembers(age).map(({ clock, then, now }) => ({
    ...{ field: 'left_at', code: age.kind },
    extraMembers: { clock, then, now },
  }));
  return new Failure(
    'unsafe',
    `${head} ${unsureText(age)} Sent again too late, it could pay twice. ${lookText} Run this again when the clocks agree ("svc doctor").`,
    { ...facts, code: age.kind, details: details.length === 0 ? undefined : details, retryable: true },
  );
}

export function eventsLine({ flags }: Pick<TypedLine, 'flags'>): string {
  return `"${svcLine('events list', ['--all', ...whereFlags({ ...flags, 'state-url': undefined })])}"`;
}

export function listLine(reference: string, flags: Where): string {
  return svcLine('operations list', [...flagWords('--reference', reference), ...whereFlags(flags)]);
}

export function resolveLine(
  key: string,
  { flags }: Pick<TypedLine, 'flags'>,
  words: readonly string[] = ['--operation', 'ID'],
): string {
  return svcLine('requests resolve', [...words, ...whereFlags(flags)], ['--', key]);
}

export function decideText(key: string, run: Pick<TypedLine, 'flags'>): string {
  return `Then record the outcome: ${resolveLine(key, run)}, or --not-paid instead of --operation ID`;
}

export function obstacleFailure(
  obstacle: Exclude<Obstacle, { kind: 'settled' | 'key_used' }>,
  run: TypedLine,
): Failure {
  const { kind, request } = obstacle;
  const { idempotencyKey, firstLeftMs } = request;
  const sentAt = isoSeconds(firstLeftMs);
  const repeatLine = nextCommand({ kind: 'repeat', key: idempotencyKey }, run) ?? undefined;
  const outcome = kind === 'under_way' ? 'not_sent' : 'unknown';
  const unsafeFailure = (code: string, text: string, nextCommandLine?: string): Failure =>
    new Failure('unsafe', text, { code, outcome, idempotencyKey, nextCommand: nextCommandLine });
  switch (kind) {
    case 'too_old':
      return tooOldFailure(request, obstacle.age, run);
    case 'replaced':
      return unsafeFailure(
        'too_old',
        `A request with this key was sent at ${sentAt}. Its outcome is not known, and you made another payment instead. svc does not ` +
          `send it again. Nothing was sent. Look for its reference in ${eventsLine(run)}. ${decideText(idempotencyKey, run)}.`,
      );
    case 'under_way': {
      const { by, underWayUntilMs: untilMs = null } = request.lastSending ?? {};
      const untilText = untilMs === null ? '' : `, until ${isoSeconds(untilMs)} at the latest`;
      const whereText = by === undefined ? '' : ` on ${by}${untilText}`;
      return unsafeFailure(
        'reference_open',
        `Another command is working on the same payment${whereText} and may be sending it now. Nothing was sent. ` +
          'Try again in a moment.',
      );
    }
    case 'other_sender':
      return unsafeFailure(
        'reference_open',
        `A request with this key was sent at ${sentAt} with another API key or to another address. Its outcome is not known. Nothing was ` +
          'sent now. Repeat it to see whether both belong to the same company.',
        repeatLine,
      );
  }
}

export function otherEnvironmentFailure(
  { environment, idempotencyKey }: JournalRequest,
  { session, flags }: { readonly session: Pick<Session, 'environment'>; readonly flags: Where },
  line = svcLine('requests repeat', whereFlagsIn(environment, flags), ['--', idempotencyKey]),
): Failure {
  return new Failure(
    'unsafe',
    `This request was sent to the ${environment} environment, but this command uses ${session.environment}. Nothing was sent.`,
    {
      ...{ code: 'other_place', outcome: 'unknown', idempotencyKey, nextCommand: line },
      advice: [`Type there: ${line}`],
    },
  );
}

export function otherCompanyFailure({ idempotencyKey }: JournalRequest): Failure {
  return new Failure(
    'unsafe',
    'This request is of another company: this API key does not see its operations. Nothing was sent. Repeat it with a key of ' +
      'that company.',
    { code: 'other_company', outcome: 'unknown', idempotencyKey },
  );
}

export function unknownCompanyFailure({ idempotencyKey, keyMask, address }: JournalRequest): Failure {
  return new Failure(
    'unsafe',
    `This request was sent with ${keyMask} to ${address}. svc cannot tell whether this API key belongs to the same company. Nothing was ` +
      'sent. If you know that it does, add --same-company.',
    { code: 'company_unknown', outcome: 'unknown', idempotencyKey },
  );
}

export function twoRequestsFailure({ idempotencyKey }: JournalRequest): Failure {
  return new Failure(
    'unsafe',
    'Two different requests with this key have no answer. Only one of them can have paid. Nothing was sent. Look for ' +
      'their references in "svc events list --all". Then remove both with "svc requests forget".',
    { code: 'two_requests', outcome: 'unknown', idempotencyKey },
  );
}

export function refusePending(
  { rows }: Evidence,
  goneOperation: string | null,
  followCommand: (batch: string) => string,
): void {
  const row = rows.find(
    ({ operation, state, status }) =>
      operation === goneOperation && isOneOf(PAID_STATES, state) && !isFinal(status ?? 'confirmed'),
  );
  if (row === undefined) return;
  const nextCommand = followCommand(row.batch);
  const text = `Batch ${row.batch} waits for operation ${goneOperation}. Nothing was changed. Follow it there first: ${nextCommand}`;
  throw new Failure('unsafe', text, { code: 'reference_pending', outcome: 'not_sent', nextCommand });
}
