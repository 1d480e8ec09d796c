/** Starts the dialogue of a create or a confirmation where a person may be asked, and says what the command ends with. */
import type { Direction } from '../../contract/operation.js';
import { escapeText } from '../../output/escape.js';
import { wantsColour } from '../../output/style.js';
import type { End, Setting } from '../../prompt/dialogue.js';
import type { Failure } from '../../runtime/failure.js';
import { processTerminal } from '../../runtime/ports.js';
import type { Output } from '../../runtime/streams.js';
import { DEFAULT_CODE } from '../../sandbox/default-code.js';
import type { GlobalFlags, Run } from '../command.js';
import type { Sent } from '../call/ending.js';
import { wantsLines } from '../line/interaction.js';
import { durationMs } from '../line/duration.js';
import { type KeyedFlags, keyedOptions } from '../create/keyed-create.js';
import { catalogSource } from '../session/catalog.js';
import { openSession, type Session } from '../session/session.js';
import { knownAnswers } from './answers.js';
import type { FollowedPort } from './port.js';

export type FlowFlags = GlobalFlags &
  KeyedFlags & {
    readonly 'wait-timeout'?: string | undefined;
  };

/** What the dialogue is about: a body with gaps, or a pay-in that exists. */
type DialogueSubject =
  | { readonly kind: 'new'; readonly direction: Direction; readonly draft: Uint8Array }
  | { readonly kind: 'existing'; readonly id: string };

/** What the command ends with: an answer to present, or only an error. */
export interface FlowEnd {
  readonly end: End;
  /** What was sent last; null where nothing was. */
  readonly sent: Sent | null;
  readonly failure: Failure | null;
}

/**
 * Runs the dialogue to its end; null where there is nothing to ask, because no catalog declares the method.
 * @throws Failure `usage`, `no_access`, `unsafe` or `local_state`, before anything was asked
 */
export async function runDialogue(run: Run<FlowFlags>, subject: DialogueSubject): Promise<FlowEnd | null> {
  const { ports, flags } = run;
  const stopping = new AbortController();
  const relay = relayTo(ports.errors);
  const signal = AbortSignal.any([ports.signal, stopping.signal]);
  const inner = { ...run, ports: { ...ports, errors: relay.output, signal } };
  // What a session has to say was said when the command opened its own.
  const session = await openSession(inner.ports, { ...flags, quiet: true });
  try {
    const catalog = catalogSource(session, inner.ports);
    const capabilities = subject.kind === 'new' ? await catalog.get() : null;
    const draft = subject.kind === 'new' ? subject.draft : Buffer.from('{}');
    const direction = subject.kind === 'new' ? subject.direction : 'payin';
    const known =
      capabilities === null ? null : knownAnswers(draft, direction, capabilities, session.defaults);
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
        keyed: { ...keyedOptions(flags, { ...inner, session }), asksNobody: true },
        followMs: durationMs(flags['wait-timeout'] ?? '10m', '--wait-timeout'),
        abort: () => stopping.abort(),
      },
      { ...inner, session },
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
    return flowEnd(end, port);
  } finally {
    await session.close();
  }
}

/** Which code a sandbox of this machine takes; another service's own sandbox does not say. */
function codeHint({ environment, target, serviceUrl }: Session): string | null {
  if (environment === 'live') return null;
  // Nothing listens there: it is in this process, with the code that it has unless told otherwise.
  if (target.kind === 'embedded' && new URL(serviceUrl).port === '')
    return `In this sandbox the code is ${DEFAULT_CODE}.`;
  const isHere = ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(serviceUrl).hostname);
  return isHere ? `In a sandbox the code is ${DEFAULT_CODE}, unless it was started with --code.` : null;
}

function flowEnd(end: End, port: FollowedPort): FlowEnd {
  return { end, sent: port.last(), failure: port.failure() };
}

interface Relay {
  readonly output: Output;
  /** Where lines go from now on. */
  to(say: (line: string) => Promise<void>): void;
}

function relayTo({ isTTY, columns }: Output): Relay {
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
