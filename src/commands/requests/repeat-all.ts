/** `svc requests repeat --all`: every open request once more, oldest first, each with the checks of a single repetition. */
import type { OpenRequest } from '../../journal/request.js';
import { Failure, type FailureKind } from '../../runtime/failure.js';
import type { Run } from '../../cli/command.js';
import { askedEnvironment, type Where, whereFlags, whereFlagsIn } from '../../cli/line/where.js';
import { svcLine } from '../../runtime/shell.js';
import { withSession } from '../../cli/session/session.js';
import { withJournal } from '../../cli/stores/stores-of-run.js';
import { type RepeatFlags, repeatOpen, type RepeatWorld } from './repetition.js';
import { onlyRequest } from './requests.js';

/** What decides how the command ends, the worst first; whatever else a repetition ends with has settled its request. */
const WORST = ['unknown_outcome', 'unsafe', 'no_access', 'unavailable', 'network'] as const;
type Left = (typeof WORST)[number];

interface LeftOpen {
  readonly kind: Left;
  /** It went to the other environment. */
  readonly isElsewhere: boolean;
}

/**
 * Repeats them one after the other; what may not be repeated is said and passed over. The operations are printed as they come.
 * @throws Failure: the worst of `unknown_outcome`, `unsafe`, `no_access`, `unavailable` and `network`; none where nothing is left open
 */
export async function repeatAll(run: Run<RepeatFlags>): Promise<void> {
  const { ports } = run;
  await withJournal(run, async (journal) => {
    const all = await journal.open();
    const keys = new Set(all.map(({ idempotencyKey }) => idempotencyKey));
    const environment = askedEnvironment(run);
    const areElsewhere = all.length > 0 && all.every((request) => request.environment !== environment);
    await withSession(run, async (open) => {
      const { session } = open;
      if (keys.size === 0) await session.note('No request is open. There is nothing to repeat.');
      const left: LeftOpen[] = [];
      for (const key of keys) {
        ports.signal.throwIfAborted();
        const requests = await journal.open(key);
        // Settled by another run since.
        if (requests.length === 0) continue;
        const end = await endOf(key, requests, { ...open, journal });
        if (end === null) continue;
        left.push(end);
        // What the service does not let in for one it lets in for none.
        if (end.kind === 'no_access') break;
      }
      if (left.length > 0) throw stillOpen(left, keys.size, open);
    }).catch((error: unknown) => {
      // The profile has the key of the other environment alone.
      const hasNoKey = error instanceof Failure && error.kind === 'no_access' && areElsewhere;
      if (!hasNoKey) throw error;
      const left = [...keys].map(() => ({ kind: 'unsafe', isElsewhere: true }) as const);
      throw stillOpen(left, keys.size, { flags: run.flags, session: { environment } });
    });
  });
}

/** Why the requests with one key are still open; null where they are settled. */
async function endOf(
  key: string,
  open: readonly OpenRequest[],
  world: RepeatWorld,
): Promise<LeftOpen | null> {
  try {
    await repeatOpen(onlyRequest(open), world);
    return null;
  } catch (error) {
    if (!(error instanceof Failure) || !isAboutOne(error.kind)) throw error;
    await world.session.note(`Request ${key}: ${error.message}`);
    const isElsewhere = error.facts.code === 'other_place';
    if (isLeft(error.kind)) return { kind: error.kind, isElsewhere };
    return error.facts.outcome === 'unknown' ? { kind: 'unknown_outcome', isElsewhere } : null;
  }
}

/** A defect, a disk that is full, a signal: those end the whole run. */
function isAboutOne(kind: FailureKind): boolean {
  return isLeft(kind) || ['operation_failed', 'rejected', 'conflict', 'not_found', 'pending'].includes(kind);
}

function isLeft(kind: FailureKind): kind is Left {
  return WORST.some((left) => left === kind);
}

function stillOpen(
  left: readonly LeftOpen[],
  total: number,
  {
    flags,
    session,
  }: { readonly flags: Where; readonly session: Pick<RepeatWorld['session'], 'environment'> },
): Failure {
  const worst = WORST.find((one) => left.some(({ kind }) => kind === one)) ?? 'unknown_outcome';
  const elsewhere = left.filter(({ isElsewhere }) => isElsewhere).length;
  const there = session.environment === 'live' ? 'sandbox' : 'live';
  const why = {
    unknown_outcome: 'Repeat them later: the same keys pay nothing twice.',
    unsafe: 'At least one cannot be repeated here: a person decides.',
    no_access: 'The service does not accept this API key.',
    unavailable: 'The service cannot answer now.',
    network: 'The service could not be reached.',
  }[worst];
  const isOnlyThere = elsewhere === left.length;
  const went = elsewhere === 0 ? '' : ` ${String(elsewhere)} went to the ${there} environment.`;
  const where = isOnlyThere ? whereFlagsIn(there, flags) : whereFlags(flags);
  const isDecided = worst === 'unsafe' && !isOnlyThere;
  return new Failure(
    worst,
    `${String(left.length)} of ${String(total)} requests ${left.length === 1 ? 'is' : 'are'} still open.${went}${isOnlyThere ? '' : ` ${why}`}`,
    {
      outcome: 'unknown',
      retryable: worst === 'unavailable' || worst === 'network',
      nextCommand: isDecided
        ? svcLine('requests list', where)
        : svcLine('requests repeat', ['--all', ...where]),
    },
  );
}
