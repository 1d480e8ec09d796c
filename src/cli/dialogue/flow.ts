/** Starts the dialogue of a create or a confirmation where a person may be asked, and says what the command ends with. */
import { type Capabilities, completeDefaults, type Defaults, methodsIn } from '../../contract/catalog.js';
import { type Direction, partyOf } from '../../contract/operation.js';
import { escapeText } from '../../output/escape.js';
import { wantsColour } from '../../output/style.js';
import type { End, Setting } from '../../prompt/dialogue.js';
import type { Answers } from '../../prompt/port.js';
import type { Failure } from '../../runtime/failure.js';
import { processTerminal } from '../../runtime/ports.js';
import type { Output } from '../../runtime/streams.js';
import { DEFAULT_CODE } from '../../sandbox/default-code.js';
import type { GlobalFlags } from '../command.js';
import type { CallResult } from '../call/ending.js';
import { type BuiltBody, BodyDraft } from '../line/body.js';
import { wantsLines } from '../line/interaction.js';
import { durationMs } from '../line/moment.js';
import { type CreateRuleFlags, createOptions } from '../create/sending.js';
import { catalogSource } from '../session/catalog.js';
import type { Session, SessionRun } from '../session/session.js';

export type FlowFlags = GlobalFlags &
  CreateRuleFlags & {
    readonly 'wait-timeout'?: string | undefined;
  };

/** What the dialogue is about: a body with gaps, or a pay-in that exists. */
type DialogueSubject =
  | { readonly kind: 'new'; readonly direction: Direction; readonly draft: BodyDraft }
  | { readonly kind: 'existing'; readonly id: string };

/** What the command ends with: an answer to present, or only an error. */
export interface FlowEnd {
  readonly end: End;
  /** What was sent last; null where nothing was. */
  readonly sent: CallResult | null;
  readonly failure: Failure | null;
}

/**
 * Runs the dialogue to its end; null where there is nothing to ask, because no catalog declares the method.
 * @throws Failure `usage`, `no_access`, `unsafe` or `local_state`, before anything was asked
 */
export async function runDialogue(
  run: SessionRun<FlowFlags>,
  subject: DialogueSubject,
): Promise<FlowEnd | null> {
  const { ports, flags } = run;
  const stopping = new AbortController();
  const relay = relayTo(ports.errors);
  const signal = AbortSignal.any([ports.signal, stopping.signal]);
  const relayed = { ...ports, errors: relay.output, signal };
  // What a session has to say was said before anybody was asked.
  const session = run.session.quietOver(relayed);
  const inner = { ...run, ports: relayed, session };
  const catalog = catalogSource(session, inner.ports);
  const capabilities = subject.kind === 'new' ? await catalog.get() : null;
  const draft = subject.kind === 'new' ? subject.draft : BodyDraft.of(null);
  const direction = subject.kind === 'new' ? subject.direction : 'payin';
  const known =
    capabilities === null
      ? null
      : knownAnswers(draft.build().members, direction, capabilities, session.defaults);
  if (subject.kind === 'new' && known === null) return null;
  const isLive = session.environment === 'live';
  const setting: Setting = {
    direction,
    isLive,
    saysSandbox: session.target.kind !== 'embedded' || flags.quiet,
    codeHint: codeHint(session),
    clockMoves: codeHint(session) !== null,
    saysAccount: !ports.output.isTTY || flags.quiet,
    place: session.target.kind === 'embedded' ? 'the embedded sandbox' : session.serviceUrl,
    mustSayYes: isLive && !flags.yes,
    catalog: capabilities,
    asked: known?.asked ?? [],
  };
  const { servicePort } = await import('./port.js');
  const port = servicePort(
    {
      ...{ direction, catalog, draft },
      idempotencyKey: flags['idempotency-key'],
      keyed: { ...(await createOptions(flags, inner)), asksNobody: true },
      followMs: durationMs(flags['wait-timeout'] ?? '10m', '--wait-timeout'),
      abort: () => stopping.abort(),
    },
    inner,
  );
  const talk = wantsLines(ports)
    ? (await import('../../prompt/lines/lines-run.js')).runLines
    : (await import('../../prompt/flow.js')).runFlow;
  const end = await talk({
    ...{ setting, answers: known?.answers ?? {}, clock: ports.clock, signal: ports.signal },
    id: subject.kind === 'existing' ? subject.id : null,
    connect: (say) => {
      relay.to(say);
      return port;
    },
    terminal: ports.terminal ?? processTerminal(),
    isColour: wantsColour(flags['no-color'], ports.env, ports.errors.isTTY),
    escape: escapeText,
  });
  return { end, sent: port.last(), failure: port.failure() };
}

/** Which code a sandbox of this machine takes; another service's own sandbox does not say. */
function codeHint({ environment, target, serviceUrl }: Session): string | null {
  if (environment === 'live') return null;
  // Nothing listens there: it is in this process, with its usual code unless another one is given.
  if (target.kind === 'embedded' && new URL(serviceUrl).port === '')
    return `In this sandbox the code is ${DEFAULT_CODE}.`;
  const isHere = ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(serviceUrl).hostname);
  return isHere ? `In a sandbox the code is ${DEFAULT_CODE}, unless it was started with --code.` : null;
}

/** An output whose lines go where `to` says. */
function relayTo({ isTTY, columns }: Output) {
  let say: (line: string) => Promise<void> = () => Promise.resolve();
  const output: Output = {
    isTTY,
    columns,
    write: async (chunk) => {
      const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
      for (const line of text.trimEnd().split('\n')) await say(line);
    },
  };
  return { output, to: (next: typeof say) => void (say = next) };
}

const PLACE = ['country', 'currency', 'method'] as const;

/**
 * What flags and data have answered before anybody is asked, and which of country, currency and method nobody decided.
 * @returns null for a method that is not offered there: the catalog has nothing to ask
 */
function knownAnswers(
  body: BuiltBody['members'],
  direction: Direction,
  catalog: Capabilities,
  defaults: Defaults,
): { readonly answers: Answers; readonly asked: readonly string[] } | null {
  const answers: Record<string, string> = {};
  const party = partyOf(direction);
  collect(answers, '', { amount: body['amount'], [party]: body[party] });
  const textOf = (name: string): string | undefined =>
    typeof body[name] === 'string' ? body[name] : undefined;
  const method = textOf('method');
  const country = textOf('country') ?? defaults.country;
  const currency = textOf('currency') ?? defaults.currency;
  const place = { ...completeDefaults(catalog, direction, { country, currency, method }), method };
  for (const name of PLACE) if (place[name] !== undefined) answers[name] = place[name];
  const fits = (wanted: string | undefined, actual: string): boolean =>
    wanted === undefined || wanted.toUpperCase() === actual.toUpperCase();
  const isOffered = catalog.countries
    .flatMap((one) => methodsIn(one, direction))
    .filter(({ availability }) => availability === 'available')
    .filter(({ code }) => method === undefined || code === method)
    .some((entry) => fits(place.country, entry.country) && fits(place.currency, entry.currency));
  if (!isOffered) return null;
  return { answers, asked: PLACE.filter((name) => place[name] === undefined) };
}

/** The texts of an object by their dotted paths. */
function collect(into: Record<string, string>, path: string, value: unknown): void {
  if (typeof value === 'string') into[path] = value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  for (const [name, member] of Object.entries(value))
    collect(into, path === '' ? name : `${path}.${name}`, member);
}
