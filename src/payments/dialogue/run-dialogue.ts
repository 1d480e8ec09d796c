import { type Capabilities, completeDefaults, type Defaults } from '../../contract/catalog.js';
import { type Direction, partyOf } from '../../contract/operation.js';
import { isObject } from '../../contract/shape.js';
import { escapeText } from '../../output/escape.js';
import { isColourWanted } from '../../output/style.js';
import type { End, Setting, Answers } from './dialogue.js';
import { entriesOf } from './questions.js';
import type { Failure } from '../../runtime/failure.js';
import { processTerminal } from '../../runtime/ports.js';
import type { Output } from '../../runtime/streams.js';
import { DEFAULT_CODE } from '../../contract/sandbox-code.js';
import type { GlobalFlags, SessionRun } from '../../command/command.js';
import type { CallResult } from '../../command/ending.js';
import { type BuiltBody, BodyDraft } from '../body-flags.js';
import { arePlainLinesWanted } from '../../command/line/terminal.js';
import { durationMs } from '../../runtime/typed-time.js';
import { catalogSource } from '../../session/catalog.js';
import type { Session } from '../../session/session.js';
import { type CreateRuleFlags, createOptions } from '../create/prepared-create.js';

export type FlowFlags = GlobalFlags & CreateRuleFlags & { readonly 'wait-timeout'?: string | undefined };

interface DialogueSubject {
  readonly direction: Direction;
  readonly draft: BodyDraft | null;
  readonly id: string | null;
}

export interface FlowEnd {
  readonly end: End;
  readonly lastCall: CallResult | null;
  readonly failure: Failure | null;
}

export async function runDialogue(
  run: SessionRun<FlowFlags>,
  { direction, draft, id }: DialogueSubject,
): Promise<FlowEnd | null> {
  const { ports, flags } = run;
  const stopping = new AbortController();
  const relay = relayOutput(ports.errors);
  const signal = AbortSignal.any([ports.signal, stopping.signal]);
  const relayPorts = { ...ports, errors: relay.output, signal };
  const session = run.session.quietOver(relayPorts);
  const innerRun = { ...run, ports: relayPorts, session };
  const catalog = catalogSource(session, innerRun.ports);
  const capabilities = draft === null ? null : await catalog.get();
  const { members } = (draft ?? BodyDraft.of(null)).build();
  const start = capabilities && initialAnswers(members, direction, capabilities, session.defaults);
  if (draft !== null && start === null) return null;
  const isLive = session.environment === 'live';
  const setting: Setting = {
    direction,
    isLive,
    showsSandboxNote: session.target.kind !== 'embedded' || flags.quiet,
    codeHint: codeHint(session),
    isClockMovable: codeHint(session) !== null,
    showsReceivingAccount: !ports.output.isTTY || flags.quiet,
    place: session.target.kind === 'embedded' ? 'the embedded sandbox' : session.serviceUrl,
    mustSayYes: isLive && !flags.yes,
    catalog: capabilities,
    toAsk: start?.toAsk ?? [],
  };
  const { servicePort } = await import('./service.js');
  const port = servicePort(
    {
      ...{ direction, catalog, draft: draft ?? BodyDraft.of(null) },
      firstIdempotencyKey: flags['idempotency-key'],
      createOptions: { ...(await createOptions(flags, innerRun)), asksNobody: true },
      followMs: durationMs(flags['wait-timeout'] ?? '10m', '--wait-timeout'),
      abort: () => stopping.abort(),
    },
    innerRun,
  );
  const runPrompt = arePlainLinesWanted(ports)
    ? (await import('./lines/face.js')).runLines
    : (await import('./screen/face.js')).runFlow;
  const end = await runPrompt({
    setting,
    answers: start?.answers ?? {},
    clock: ports.clock,
    signal: ports.signal,
    id,
    connect: (say) => {
      relay.setSay(say);
      return port;
    },
    terminal: ports.terminal ?? processTerminal(),
    isColour: isColourWanted(flags['no-color'], ports.env, ports.errors.isTTY),
    escape: escapeText,
  });
  return { end, lastCall: port.lastCall(), failure: port.failure() };
}

function codeHint({ environment, target, serviceUrl }: Session): string | null {
  if (environment === 'live') return null;
  if (target.kind === 'embedded' && new URL(serviceUrl).port === '')
    return `In this sandbox the code is ${DEFAULT_CODE}.`;
  const isOnThisMachine = ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(serviceUrl).hostname);
  return isOnThisMachine
    ? `In a sandbox the code is ${DEFAULT_CODE}, unless it was started with --code.`
    : null;
}

function relayOutput({ isTTY, columns }: Output) {
  let say: (line: string) => Promise<void> = () => Promise.resolve();
  const output: Output = {
    isTTY,
    columns,
    write: async (chunk) => {
      const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
      for (const line of text.trimEnd().split('\n')) await say(line);
    },
  };
  return { output, setSay: (newSay: typeof say) => void (say = newSay) };
}

const FIRST_FIELDS = ['country', 'currency', 'method'] as const;

function initialAnswers(
  body: BuiltBody['members'],
  direction: Direction,
  catalog: Capabilities,
  defaults: Defaults,
): { readonly answers: Answers; readonly toAsk: readonly string[] } | null {
  const answers: Record<string, string> = {};
  const party = partyOf(direction);
  collectTexts(answers, '', { amount: body['amount'], [party]: body[party] });
  const textOf = (name: string): string | undefined =>
    typeof body[name] === 'string' ? body[name] : undefined;
  const method = textOf('method');
  const country = textOf('country') ?? defaults.country;
  const currency = textOf('currency') ?? defaults.currency;
  const place = { ...completeDefaults(catalog, direction, { country, currency, method }), method };
  for (const name of FIRST_FIELDS) if (place[name] !== undefined) answers[name] = place[name];
  const entries = entriesOf({ catalog, direction }, place);
  if (!entries.some(({ code }) => method === undefined || code === method)) return null;
  return { answers, toAsk: FIRST_FIELDS.filter((name) => place[name] === undefined) };
}

function collectTexts(texts: Record<string, string>, path: string, value: unknown): void {
  if (typeof value === 'string') texts[path] = value;
  if (!isObject(value)) return;
  for (const [name, member] of Object.entries(value))
    collectTexts(texts, path === '' ? name : `${path}.${name}`, member);
}
