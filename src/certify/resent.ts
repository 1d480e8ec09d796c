/** Confirm, resend, cancel that are sent again for an operation, and what the command had seen of it in between. Pure. */
import { groupOf, type Repetition } from './repetition.js';
import { hasEndedBefore, isOpenAt } from './rule.js';
import { isAction, isTaken, type RunView } from './run-view.js';
import type { SeenRequest, SeenRun, ToldOperation } from './seen.js';

export interface Resent extends Repetition {
  /** `blind`: nothing was looked at since; `settled`: a look, or its own answer, said that it is not waited for. */
  readonly kind: 'blind' | 'settled';
  /** What was seen last, in words; empty where nothing was. */
  readonly seen: string;
}

/** Those that should not have been sent again. */
export function resentOf(view: RunView): Resent[] {
  const last = new Map<string, SeenRequest>();
  return view.run.requests.flatMap((again) => {
    const { route, operation, scope } = again;
    if (!isAction(route) || operation === null) return [];
    const name = `${scope} ${route} ${operation}`;
    const first = last.get(name);
    last.set(name, again);
    if (first === undefined) return [];
    const found = faultOf(view.run, first, again);
    return found === null ? [] : [{ group: groupOf(view, again), first, again, ...found }];
  });
}

function faultOf(run: SeenRun, first: SeenRequest, again: SeenRequest): Pick<Resent, 'kind' | 'seen'> | null {
  const looks = looksBetween(run, first, again);
  const isOpen = isOpenAt(first, again);
  if (isOpen && looks.length === 0) return { kind: 'blind', seen: '' };
  const own =
    !isOpen && first.told.kind === 'answer' && first.told.status < 300 ? first.told.operation : null;
  const state = looks.findLast((look) => look !== null) ?? (isCodeOf(again) ? own : null);
  // After a refusal it is the repetition that counts, and after a look that says nothing of it there is nothing to heed.
  if (state === null || (!isOpen && own === null) || isWaitedFor(again, state)) return null;
  return { kind: 'settled', seen: state.reason === null ? state.status : `${state.status}, ${state.reason}` };
}

/** A code is sent once; another one may be asked for again, and a cancel is refused where it comes too late. */
function isCodeOf({ route }: SeenRequest): boolean {
  return route === 'payins.confirm';
}

function isWaitedFor({ route }: SeenRequest, { status, reason }: ToldOperation): boolean {
  if (status !== 'pending') return false;
  return (
    route === 'payins.cancel' || route === 'payouts.cancel' || reason === null || reason === 'awaiting_code'
  );
}

/** What was seen after the one and before the other: a state, or null where nothing says how the operation was at that time. */
function looksBetween(run: SeenRun, first: SeenRequest, again: SeenRequest): (ToldOperation | null)[] {
  const isMine = (operation: ToldOperation | null): boolean => operation?.id === again.operation;
  const answers = run.requests.flatMap((look) => {
    const { told, number, endedMs } = look;
    if (look.scope !== again.scope) return [];
    const isBetween = number > first.number && number < again.number && hasBegunAfter(look, first);
    if (!isBetween || !hasEndedBefore(look, again) || told.kind !== 'answer' || told.status >= 300) return [];
    const listed = look.route === 'events.list' ? (told.events.findLast(isMine) ?? null) : undefined;
    const state = isMine(told.operation) ? told.operation : listed;
    if (state === undefined) return [];
    // What crossed the repetition may show what that did.
    const hasCrossed = endedMs === null || endedMs > again.atMs;
    return [{ atMs: endedMs ?? again.atMs, state: hasCrossed ? null : state }];
  });
  const deliveries = run.deliveries.flatMap(({ atMs, operation, answers: given }) => {
    const isTimely = atMs >= first.atMs && atMs <= again.atMs;
    return isTimely && isMine(operation) && given.some(isTaken) ? [{ atMs, state: operation }] : [];
  });
  return [...answers, ...deliveries].sort((one, other) => one.atMs - other.atMs).map(({ state }) => state);
}

/** Where the command left by itself, the service sees that late. */
function hasBegunAfter(look: SeenRequest, first: SeenRequest): boolean {
  return hasEndedBefore(first, look) || (first.fault === null && first.told.kind === 'none');
}
