/** The jobs of `svc events` that hand events over: to a person or a pipe, to a program, into tables, to a receiver. */
import type { Run } from '../../cli/command.js';
import { forwardSink, type OnAttempt } from '../../cli/feed/forward-sink.js';
import { printSink } from '../../cli/feed/print-sink.js';
import { withLog } from '../../cli/printing/log.js';
import { forwardingSecret } from '../../cli/webhook/forwarding-secret.js';
import { openReceiver } from '../../cli/webhook/receiver.js';
import { followFeed } from './feed.js';
import { type FeedFlags, type IntoFlags, intoOf } from './feed-orders.js';
import { readTraceparent } from '../../client/request.js';
import { bytesOf } from '../../events/walk.js';
import type { Sink } from '../../events/follow.js';
import { holdsKey } from '../../profile/key-text.js';
import { runShell, type ChildEnd } from '../../runtime/child.js';
import { Failure } from '../../runtime/failure.js';
import { type Environ, type Ports, SECRET_VARIABLES } from '../../runtime/ports.js';

type TailFlags = IntoFlags & { readonly exec?: string | undefined };

/** @throws as `followFeed`; Failure `usage` for flags that exclude one another */
export async function tailEvents(typed: Run<TailFlags>): Promise<void> {
  const run = withLog(typed);
  const { flags, ports } = run;
  const { exec } = flags;
  const into = intoOf(run);
  if (into !== null) {
    const { intoJob } = await import('./into.js');
    return followFeed(run, (session) => intoJob({ ...run, session }, into));
  }
  const print = exec === undefined ? await printSink(ports, flags) : null;
  // To start a program takes longer than to make its success durable.
  const pace = exec === undefined ? {} : { eventsMax: 1 };
  await followFeed(run, (_session, onAttempt) => ({
    sink: print ?? execSink(ports, exec ?? '', onAttempt),
    ...pace,
  }));
}

type ForwardFlags = FeedFlags & {
  readonly to?: string | undefined;
  readonly 'allow-remote': boolean;
  readonly 'print-secret': boolean;
};

/** @throws as `followFeed`; Failure `usage` or `unsafe` for a receiver that can be none */
export async function forwardEvents(typed: Run<ForwardFlags>): Promise<void> {
  const run = withLog(typed);
  const { flags, ports } = run;
  const secret = await forwardingSecret(ports);
  if (flags['print-secret']) return ports.output.write(`${secret}\n`);
  if (flags.to === undefined) throw new Failure('usage', 'Add --to URL, the receiver. Nothing was sent.');
  const receiver = await openReceiver(ports, flags.to, flags['allow-remote']);
  try {
    await followFeed(run, (session, onAttempt) => {
      session.redactor.add([secret]);
      const note: typeof session.note = (text, facts) => session.note(text, facts);
      const traced = { ...receiver, traceparent: readTraceparent(ports.env['TRACEPARENT']) };
      return { sink: forwardSink(ports, { receiver: traced, secret, note, onAttempt }) };
    });
  } finally {
    await receiver.close();
  }
}

/** The waits before the second and the third attempt, in milliseconds. */
const WAITS_MS = [250, 1000] as const;
/** By these a service says that it is well: a program that hangs shall not say it for svc. */
const OF_SYSTEMD: readonly string[] = ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID'];

/**
 * One event in hand at a time, in feed order: the event's own bytes and a newline, in a shell that knows no key and no secret.
 * A program that fails gets the event three times in all.
 * @throws Failure `unavailable` where it did not accept the event then; Stopped
 */
function execSink(ports: Ports, commandLine: string, onAttempt: OnAttempt): Sink {
  const env = withoutSecrets(ports.env);
  const { clock, signal } = ports;
  return async (page, events, accept) => {
    for (const event of events) {
      const input = Buffer.concat([bytesOf(page, event), Buffer.from('\n')]);
      for (let attempt = 0; ; attempt += 1) {
        signal.throwIfAborted();
        const startedMs = clock.monotonic();
        const end = await runShell(commandLine, { env, input, signal });
        const isAccepted = end.exitCode === 0;
        const ms = clock.monotonic() - startedMs;
        onAttempt({ eventId: event.id, attempt: attempt + 1, ms, isAccepted });
        if (isAccepted) break;
        signal.throwIfAborted();
        const waitMs = WAITS_MS[attempt];
        if (waitMs === undefined) throw notAccepted(event.id, end);
        await clock.sleep(waitMs, signal);
      }
      await accept([event]);
    }
  };
}

/** What a program of the user's gets to see of the environment: no key and no signing secret, by whatever name. */
function withoutSecrets(env: Environ): Environ {
  const secret = env['SVC_WEBHOOK_SECRET'];
  const holdsSecret = (value: string): boolean =>
    holdsKey(value) ||
    /whsec_/i.test(value) ||
    (secret !== undefined && secret !== '' && value.includes(secret));
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name, value]) =>
        !SECRET_VARIABLES.includes(name) &&
        !OF_SYSTEMD.includes(name) &&
        value !== undefined &&
        !holdsSecret(value) &&
        (name !== 'TRACEPARENT' || readTraceparent(value) !== undefined),
    ),
  );
}

function notAccepted(id: string, { exitCode, signalName }: ChildEnd): Failure {
  const how = exitCode === null ? `ended by ${signalName ?? 'a signal'}` : `exit code ${exitCode}`;
  return new Failure(
    'unavailable',
    `The --exec program failed three times (${how}) for event ${id}. This event and later ones were not accepted. ` +
      'Repair the program, then run this again.',
    { code: 'exec_failed', outcome: 'sent', retryable: true },
  );
}
