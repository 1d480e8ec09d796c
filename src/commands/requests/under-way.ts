/** Before a request is repeated that another machine may still be waiting for: a person is asked, and a script is told. */
import { isConfirmed } from '../../cli/call/confirmation.js';
import { isPersonThere, readTypedAnswer } from '../../cli/line/interaction.js';
import type { SessionRun } from '../../cli/session/session.js';
import type { OpenRequest } from '../../journal/request.js';
import { isoSeconds } from '../../runtime/clock.js';
import { Failure } from '../../runtime/failure.js';

/** @throws Failure `unsafe` (`not_confirmed`) where a person did not say yes; Stopped */
export async function askUnderWay(
  { lastSending, idempotencyKey }: OpenRequest,
  run: SessionRun,
): Promise<void> {
  const untilMs = lastSending?.underWayUntilMs ?? null;
  if (lastSending === undefined || untilMs === null) return;
  const { ports, flags, session } = run;
  const text = underWayText(lastSending.by, untilMs);
  const isAskedAnyway = isConfirmed(run);
  if (isAskedAnyway || flags.yes || !isPersonThere(ports, { 'no-input': flags['no-input'] }))
    return session.note(text);
  await ports.errors.write(`${ports.redact(text)} Repeat it now? Type yes: `);
  const answer = await readTypedAnswer(ports, 'Nothing was sent.');
  if ((session.environment === 'live' ? /^yes$/i : /^y(es)?$/i).test(answer?.trim() ?? '')) return;
  throw new Failure('unsafe', 'Not confirmed. Nothing was sent.', {
    ...{ code: 'not_confirmed', outcome: 'unknown', idempotencyKey },
  });
}

/** What it would do there is no harm: the service carries out one key once. */
function underWayText(by: string, untilMs: number): string {
  return (
    `This request may still be in progress on ${by}, until ${isoSeconds(untilMs)} at the latest. You can repeat it with its key: ` +
    'the service carries it out once.'
  );
}
