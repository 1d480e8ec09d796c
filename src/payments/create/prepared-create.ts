import type { PreparedRequest } from '../../client/request.js';
import type { Journal } from '../../storage/journal/journal.js';
import { subjectOf, type UnsentRequest } from '../../storage/journal/request.js';
import { usageFailure } from '../../runtime/failure.js';
import { requireYes } from '../confirm.js';
import { refuseFutureTime } from '../../session/session.js';
import { readSince, type SinceMoment } from '../../runtime/typed-time.js';
import { maskOfKey, senderOf } from '../../session/address.js';
import type { Texts } from '../../command/line/flags.js';
import type { GlobalFlags, SessionRun } from '../../command/command.js';

export interface PreparedCreate {
  readonly run: SessionRun;
  readonly prepared: PreparedRequest;
  readonly options: CreateOptions;
}

export interface UnrecordedCreate extends PreparedCreate {
  readonly journal: Journal;
  readonly unsent: UnsentRequest;
}

export interface CreateOptions {
  readonly keySource: 'caller' | 'payment' | 'request';
  readonly newPayment: string | null;
  readonly since: (SinceMoment & { readonly typed: string }) | null;
  readonly isAsLive: boolean;
  readonly skipsFeed: boolean;
  readonly asksNobody: boolean;
}

export type CreateRuleFlags = Pick<GlobalFlags, 'yes' | 'no-input'> &
  Texts<'idempotency-key' | 'new-payment' | 'new-since'> &
  Readonly<Partial<Record<'as-live' | 'skip-feed-check', boolean | undefined>>>;

export async function createOptions(
  flags: CreateRuleFlags,
  run: Pick<SessionRun, 'session' | 'ports' | 'flags'>,
): Promise<CreateOptions> {
  const { 'new-payment': newPayment = null, 'new-since': typedSince } = flags;
  if (newPayment !== null && typedSince !== undefined)
    throw usageFailure('Give either --new-payment or --new-since, not both.');
  const skipsFeed = flags['skip-feed-check'] === true;
  if (skipsFeed && (newPayment !== null || typedSince !== undefined))
    throw usageFailure('Which payment comes before a new one is in the events: leave --skip-feed-check out.');
  if (skipsFeed) requireYes('skip-feed-check', run);
  const since = readSince(typedSince, run.ports.zone);
  await refuseFutureTime(since?.ms ?? null, run);
  return {
    keySource: flags['idempotency-key'] === undefined ? 'payment' : 'caller',
    newPayment,
    since: typedSince === undefined || since === null ? null : { ...since, typed: typedSince },
    isAsLive: flags['as-live'] === true,
    skipsFeed,
    asksNobody: flags.yes || flags['no-input'],
  };
}

export async function unrecordedCreateOf(
  preparedCreate: PreparedCreate,
  journal: Journal,
): Promise<UnrecordedCreate> {
  const { run, prepared, options } = preparedCreate;
  const { session, ports } = run;
  const { endpointId: endpoint, idempotencyKey, request, members } = prepared;
  const { body, url } = request;
  if (endpoint === null || idempotencyKey === null || body === null)
    throw new TypeError('only a create is kept in the journal');
  const unsent = {
    idempotencyKey,
    isOwnKey: options.keySource === 'caller',
    endpoint,
    body,
    follows: null,
    generation: null,
    sinceMs: options.since?.ms ?? (options.newPayment === null ? null : session.clock.now()),
    ...(await senderOf(session, ports, journal.keySalt)),
    path: url.slice(session.serviceUrl.length),
    keyMask: maskOfKey(session.key),
    ...subjectOf(endpoint, body, members),
  };
  return { ...preparedCreate, journal, unsent };
}
