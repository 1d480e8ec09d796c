/** Hands each event to a program on its standard input; exit code 0 accepts it. */
import { readTraceparent } from '../../client/request.js';
import { bytesOf } from '../../events/walk.js';
import type { Sink } from '../../events/follow.js';
import type { OnAttempt } from '../../cli/feed/forward-sink.js';
import { holdsKey } from '../../profile/key-text.js';
import { runShell, type ChildEnd } from '../../runtime/child.js';
import { Failure } from '../../runtime/failure.js';
import type { Environ, Ports } from '../../runtime/ports.js';
import { SECRET_VARIABLES } from '../../runtime/secret-variables.js';

/** The waits before the second and the third attempt, in milliseconds. */
const WAITS_MS = [250, 1000] as const;
/** By these a service says that it is well: a program that hangs shall not say it for svc. */
const OF_SYSTEMD: readonly string[] = ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID'];

/**
 * One event in hand at a time, in feed order: the event's own bytes and a newline, in a shell that knows no key and no secret.
 * A program that fails gets the event three times in all.
 * @throws Failure `unavailable` where it did not accept the event then; Stopped
 */
export function execSink(ports: Ports, commandLine: string, onAttempt: OnAttempt): Sink {
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
