import type { OpenRequest } from '../../storage/journal/request.js';
import { Failure, type FailureKind } from '../../runtime/failure.js';
import { type Run, inSession } from '../../command/command.js';
import { askedEnvironment, type Where, whereFlags, whereFlagsIn } from '../../session/place-flags.js';
import { svcLine } from '../../runtime/shell.js';
import { type RepeatFlags, repeatOpen, type RepeatWorld } from './repeat.js';
import { onlyRequest } from './list.js';

/** Why a request stays open after it was repeated. The worst reason is first, and gives the exit code. */
const OPEN_REASONS = ['unknown_outcome', 'unsafe', 'no_access', 'unavailable', 'network'] as const;

const PASSABLE_KINDS: readonly FailureKind[] = [
  'operation_failed',
  'rejected',
  'conflict',
  'not_found',
  'pending',
];

interface OpenEnd {
  readonly kind: (typeof OPEN_REASONS)[number];
  readonly isElsewhere: boolean;
}

export async function repeatAll(run: Run<RepeatFlags>): Promise<void> {
  const { ports } = run;
  await using journal = await run.app.openJournal();
  const openRequests = await journal.open();
  const keys = new Set(openRequests.map(({ idempotencyKey }) => idempotencyKey));
  const environment = askedEnvironment(run);
  const areAllElsewhere =
    openRequests.length > 0 && openRequests.every((request) => request.environment !== environment);
  try {
    const sessionRun = await inSession(run);
    const { session } = sessionRun;
    if (keys.size === 0) await session.note('No request is open. There is nothing to repeat.');
    const ends: OpenEnd[] = [];
    for (const key of keys) {
      ports.signal.throwIfAborted();
      const requests = await journal.open(key);
      if (requests.length === 0) continue;
      const openEnd = await repeatOne(key, requests, { ...sessionRun, journal });
      if (openEnd === null) continue;
      ends.push(openEnd);
      if (openEnd.kind === 'no_access') break;
    }
    if (ends.length > 0) throw stillOpenFailure(ends, keys.size, sessionRun);
  } catch (error) {
    // If all requests went to the other environment, the profile may have no API key for the environment of this command.
    const hasNoKey = error instanceof Failure && error.kind === 'no_access' && areAllElsewhere;
    if (!hasNoKey) throw error;
    const ends = [...keys].map(() => ({ kind: 'unsafe', isElsewhere: true }) as const);
    throw stillOpenFailure(ends, keys.size, { flags: run.flags, session: { environment } });
  }
}

async function repeatOne(
  key: string,
  requests: readonly OpenRequest[],
  world: RepeatWorld,
): Promise<OpenEnd | null> {
  try {
    await repeatOpen(onlyRequest(requests), world);
    return null;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (!isOpenReason(error.kind) && !PASSABLE_KINDS.includes(error.kind)) throw error;
    await world.session.note(`Request ${key}: ${error.message}`);
    const isElsewhere = error.facts.code === 'other_place';
    if (isOpenReason(error.kind)) return { kind: error.kind, isElsewhere };
    return error.facts.outcome === 'unknown' ? { kind: 'unknown_outcome', isElsewhere } : null;
  }
}

function isOpenReason(kind: FailureKind): kind is OpenEnd['kind'] {
  return OPEN_REASONS.some((reason) => reason === kind);
}

function stillOpenFailure(
  ends: readonly OpenEnd[],
  total: number,
  {
    flags,
    session,
  }: { readonly flags: Where; readonly session: Pick<RepeatWorld['session'], 'environment'> },
): Failure {
  const worst = OPEN_REASONS.find((one) => ends.some(({ kind }) => kind === one)) ?? 'unknown_outcome';
  const elsewhereCount = ends.filter(({ isElsewhere }) => isElsewhere).length;
  const otherEnvironment = session.environment === 'live' ? 'sandbox' : 'live';
  const advice = {
    unknown_outcome: 'Repeat them later: the same keys pay nothing twice.',
    unsafe: 'At least one cannot be repeated here: a person decides.',
    no_access: 'The service does not accept this API key.',
    unavailable: 'The service cannot answer now.',
    network: 'The service could not be reached.',
  }[worst];
  const areAllElsewhere = elsewhereCount === ends.length;
  const elsewhereText =
    elsewhereCount === 0 ? '' : ` ${String(elsewhereCount)} went to the ${otherEnvironment} environment.`;
  const placeFlags = areAllElsewhere ? whereFlagsIn(otherEnvironment, flags) : whereFlags(flags);
  const needsPerson = worst === 'unsafe' && !areAllElsewhere;
  const openText = `${String(ends.length)} of ${String(total)} requests ${ends.length === 1 ? 'is' : 'are'} still open.`;
  return new Failure(worst, `${openText}${elsewhereText}${areAllElsewhere ? '' : ` ${advice}`}`, {
    outcome: 'unknown',
    retryable: worst === 'unavailable' || worst === 'network',
    nextCommand: needsPerson
      ? svcLine('requests list', placeFlags)
      : svcLine('requests repeat', ['--all', ...placeFlags]),
  });
}
