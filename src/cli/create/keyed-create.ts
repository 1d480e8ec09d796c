/** A create at work, before it is recorded: what the command line says beside its body, and as the journal records it. */
import type { Prepared } from '../../client/request.js';
import type { Journal } from '../../journal/journal.js';
import { aboutOf, type Leaving } from '../../journal/request.js';
import { Failure } from '../../runtime/failure.js';
import { readSince, requirePast, type Since } from '../line/moment.js';
import { maskOfKey, senderOf } from '../session/address.js';
import type { SessionRun } from '../session/session.js';

/** What is to be sent. */
export interface ToSend {
  readonly run: SessionRun;
  readonly prepared: Prepared;
  readonly options: KeyedOptions;
}

export interface KeyedCreate extends ToSend {
  readonly journal: Journal;
  readonly leaving: Leaving;
}

/** What the command line says of a create beside its body. */
export interface KeyedOptions {
  /** Whose the key is: the caller's, that of the payment, or any, as of a request that was prepared before. */
  readonly keyOf: 'caller' | 'payment' | 'request';
  /** The operation or key that `--new-payment` names; null without it. */
  readonly newPayment: string | null;
  /** `--new-since`, as it was typed and as a moment of the service's time; null without it. */
  readonly since: (Since & { readonly typed: string }) | null;
  /** What is refused live is refused in the sandbox too. */
  readonly isAsLive: boolean;
  /** True where nobody is asked anything at the terminal. */
  readonly asksNobody: boolean;
}

/** Those flags, as parsed. */
export interface KeyedFlags {
  readonly 'idempotency-key'?: string | undefined;
  readonly 'new-payment'?: string | undefined;
  readonly 'new-since'?: string | undefined;
  readonly 'as-live'?: boolean | undefined;
  readonly yes: boolean;
  readonly 'no-input': boolean;
}

/** @throws Failure `usage` */
export function keyedOptions(
  flags: KeyedFlags,
  { session, ports }: Pick<SessionRun, 'session' | 'ports'>,
): KeyedOptions {
  const { 'new-payment': newPayment = null, 'new-since': typed } = flags;
  if (newPayment !== null && typed !== undefined)
    throw new Failure('usage', 'Give either --new-payment or --new-since, not both. Nothing was sent.');
  const since = readSince(typed, ports.zone);
  requirePast(since?.ms ?? null, session.clock.now());
  return {
    keyOf: flags['idempotency-key'] === undefined ? 'payment' : 'caller',
    newPayment,
    since: typed === undefined || since === null ? null : { ...since, typed },
    isAsLive: flags['as-live'] === true,
    asksNobody: flags.yes || flags['no-input'],
  };
}

/** As the journal records it. @throws TypeError for a request that is no create; Failure `local_state` */
export async function keyedCreateOf(toSend: ToSend, journal: Journal): Promise<KeyedCreate> {
  const { run, prepared, options } = toSend;
  const { session, ports } = run;
  const { endpointId: endpoint, idempotencyKey, request, members } = prepared;
  const { body, url } = request;
  if (endpoint === null || idempotencyKey === null || body === null)
    throw new TypeError('only a create is kept in the journal');
  const leaving = {
    ...{
      idempotencyKey,
      isOwnKey: options.keyOf === 'caller',
      endpoint,
      body,
      series: null,
      generation: null,
    },
    ...(await senderOf(session, ports, journal.keySalt)),
    path: url.slice(session.serviceUrl.length),
    keyMask: maskOfKey(session.key),
    ...aboutOf(endpoint, body, members),
  };
  return { run, prepared, options, journal, leaving };
}
