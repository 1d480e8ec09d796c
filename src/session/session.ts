import { type Client, createClient } from '../client/client.js';
import { ServiceClock } from '../client/service-clock.js';
import type { Environment } from '../contract/access.js';
import type { Defaults } from '../contract/catalog.js';
import { readTraceparent } from '../client/request.js';
import { renderNote } from '../output/error-prose.js';
import type { Choices } from './choices.js';
import { findTarget, type Target } from './target.js';
import { keyReaders, systemStores } from './key-stores.js';
import { type LogFacts, noteSending, type Ports, type Redactor, untilStopped } from '../runtime/ports.js';
import { headerOf, type HttpAnswer } from '../runtime/transport.js';
import { VERSION } from '../runtime/version.js';
import { requirePast } from '../runtime/typed-time.js';
import type { ServiceConnection } from './connection.js';
import { type Guard, NO_GUARD } from './guard/guard.js';
import type { Journal, TimePlace } from '../storage/journal/journal.js';

export interface Session {
  readonly environment: Environment;
  readonly target: Target;
  readonly client: Client;
  readonly connection: Pick<ServiceConnection, 'transport' | 'origin'>;
  readonly guard: Guard;
  readonly clock: ServiceClock;
  readonly serviceUrl: string;
  readonly key: string;
  readonly defaults: Defaults;
  readonly areReferencesLabels: boolean;
  readonly redactor: Redactor;
  note(text: string, facts?: LogFacts): Promise<void>;
  readonly openingNotes: readonly string[];
  quietOver(ports: Ports): Session;
  close(): Promise<void>;
}

export interface SessionPorts {
  readonly session: Session;
  readonly ports: Ports;
}

export interface SessionOptions {
  readonly ports: Ports;
  readonly target: Target;
  readonly timeoutMs: number;
  readonly isQuiet: boolean;
  readonly isDebug: boolean;
}

export async function openSession(
  { ports, target, timeoutMs, isQuiet: isSessionQuiet, isDebug }: SessionOptions,
  connect: () => Promise<ServiceConnection>,
): Promise<Session> {
  const isEmbedded = target.kind === 'embedded';
  const mayGoBack = target.environment === 'sandbox';
  const serviceClock = new ServiceClock({ clock: ports.clock, isDirect: isEmbedded, mayGoBack });
  const readServiceMs = async (): Promise<number | null> => {
    await askServiceTime({ session, ports });
    return serviceClock.isTimeProved() ? serviceClock.now() : null;
  };
  // The guard is opened before the connection, because the guard may refuse the address.
  const guard =
    isEmbedded || target.environment !== 'live'
      ? NO_GUARD
      : await (await import('./guard/open-guard.js')).openGuard(ports, target.serviceUrl, readServiceMs);
  const connection = await connect();
  const { serviceUrl, key } = connection;
  const { redact: redactor } = ports;
  redactor.add([key]);
  const traceparent = readTraceparent(ports.env['TRACEPARENT']);
  const debugModule = isDebug ? await import('./debug.js') : null;
  const noteRateLimit = rateLimitNoter(ports, (text) => session.note(text, { level: 'warn' }));
  const sessionOf = (
    notePorts: Ports,
    isQuiet: boolean,
    showDebug = debugModule?.debugObserver(notePorts, redactor),
  ): Session => ({
    environment: target.environment,
    target,
    guard,
    connection,
    client: createClient({
      environment: target.environment,
      transport: connection.transport,
      clock: ports.clock,
      serviceClock,
      random: ports.random,
      baseUrl: serviceUrl,
      key,
      userAgent: `svc/${VERSION}`,
      traceparent,
      timeoutMs,
      observe: (observation) => {
        if (observation.kind === 'request' && observation.request.method !== 'GET') noteSending(ports);
        if (observation.kind === 'answer' && !isQuiet) noteRateLimit(observation.answer);
        showDebug?.(observation);
      },
    }),
    clock: serviceClock,
    serviceUrl,
    key,
    defaults: { country: target.country?.value, currency: target.currency?.value },
    areReferencesLabels: target.references?.value === 'labels',
    redactor,
    note: async (text, facts) => {
      if (isQuiet) return;
      if (notePorts.log === undefined)
        await notePorts.errors.write(renderNote(redactor(text), notePorts.errors));
      else await notePorts.log(text, facts);
    },
    openingNotes: [
      ...(isEmbedded ? [EMBEDDED_NOTE] : target.notes),
      ...(traceparent === undefined && (ports.env['TRACEPARENT'] ?? '') !== '' ? [NO_TRACEPARENT] : []),
    ],
    quietOver: (otherPorts) => sessionOf(otherPorts, true),
    close: () => connection.close(),
  });
  const session = sessionOf(ports, isSessionQuiet);
  return session;
}

function rateLimitNoter(
  { clock }: Ports,
  note: (text: string) => Promise<void>,
): (answer: HttpAnswer) => void {
  let quietUntilMs = -Infinity;
  return (answer) => {
    if (answer.status !== 429 || clock.monotonic() < quietUntilMs) return;
    const seconds = /^\d{1,5}$/.exec(headerOf(answer, 'retry-after') ?? '')?.[0];
    quietUntilMs = clock.monotonic() + Number(seconds ?? 1) * 1000;
    void note(
      `The service limits requests (429)${seconds === undefined ? '' : ` and asks to wait ${seconds} s`}.`,
    );
  };
}

const NO_TRACEPARENT = 'TRACEPARENT is not a W3C traceparent, so svc does not pass it on.';
const EMBEDDED_NOTE = 'Embedded sandbox: nothing is configured, so no money moves.';

export async function resolveTarget(choices: Choices, ports: Ports): Promise<Target> {
  try {
    const readers = keyReaders(systemStores(ports.paths, ports.clock));
    return await untilStopped(findTarget(choices, ports.env, readers), ports.signal);
  } catch (error) {
    if (choices.environment.value === 'live') {
      const { lockOf, refuseLocked } = await import('./guard/open-guard.js');
      if (lockOf(ports) === 'sandbox') await refuseLocked(ports);
    }
    throw error;
  }
}

const TIME_TIMEOUT_MS = 5000;

export async function askServiceTime(run: SessionPorts): Promise<void> {
  const { session, ports } = run;
  const { signal } = ports;
  if (session.clock.isTimeProved()) return;
  await session.client.askTime({ timeoutMs: TIME_TIMEOUT_MS, signal });
  signal.throwIfAborted();
}

export async function refuseFutureTime(sinceMs: number | null, run: SessionPorts): Promise<void> {
  const { clock } = run.session;
  if (sinceMs !== null && sinceMs > clock.now()) await askServiceTime(run);
  requirePast(sinceMs, clock.now());
}

/** A time before the newest one in the journal is not believed, because an old idempotency key would look new. */
export async function recallServiceTime(
  journal: Pick<Journal, 'newestTime' | 'noteTime'>,
  { environment, origin }: TimePlace,
  run: SessionPorts,
): Promise<void> {
  const { clock } = run.session;
  if (clock.isTimeProved()) return;
  const place = { environment, origin };
  clock.remember(await journal.newestTime(place, clock.boot().bootId));
  await askServiceTime(run);
  if (clock.isTimeProved() && clock.anchor !== null) await journal.noteTime(place, clock.anchor);
}
