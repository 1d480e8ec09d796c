/** Confirm, resend, cancel that are sent again for an operation, and what the command had seen of it in between (sections 3, 4, 8). */
import { beyondClean, clearest, groupOf, type Repetition } from '../repetition.js';
import { hasEndedBefore, type Rule, type RuleFacts, requestWords, toldWords } from '../rule.js';
import { isAction, isTaken, type RunView } from '../run-view.js';
import { isLeftOpen, type SeenRequest, type SeenRun, type ToldOperation } from '../seen.js';

interface Resent extends Repetition {
  /** `blind`: nothing was looked at since; `settled`: a look, or its own answer, said that it is not waited for. */
  readonly kind: 'blind' | 'settled';
  /** What was seen last, in words; empty where nothing was. */
  readonly seen: string;
}

/** Those that should not have been sent again. */
function resentOf(view: RunView): Resent[] {
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
  // The command could not know, at that time, what became of the first one.
  const isOpen = !hasEndedBefore(first, again) || isLeftOpen(first.told);
  if (isOpen && looks.length === 0) return { kind: 'blind', seen: '' };
  const own =
    !isOpen && first.told.kind === 'answer' && first.told.status < 300 ? first.told.operation : null;
  // A code is sent once; another one may be asked for again, and a cancel is refused where it comes too late.
  const state = looks.findLast((look) => look !== null) ?? (again.route === 'payins.confirm' ? own : null);
  // After a refusal it is the repetition that counts, and after a look that says nothing of it there is nothing to heed.
  if (state === null || (!isOpen && own === null)) return null;
  const isCancel = again.route === 'payins.cancel' || again.route === 'payouts.cancel';
  const isAwaited = isCancel || state.reason === null || state.reason === 'awaiting_code';
  if (state.status === 'pending' && isAwaited) return null;
  return { kind: 'settled', seen: state.reason === null ? state.status : `${state.status}, ${state.reason}` };
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

/** The clearest of a kind, where a run sends more of both kinds together than the clean runs. */
function resentAs(facts: RuleFacts, kind: Resent['kind']): Resent | null {
  const all = new Set(beyondClean(facts, resentOf).map(({ group }) => group));
  const own = beyondClean(facts, (view) => resentOf(view).filter((one) => one.kind === kind));
  return clearest(own.filter(({ group }) => all.has(group)));
}

/** Confirm, resend and cancel have no key: after an answer that was lost the operation is looked at first. */
export const lookFirst: Rule = (facts) => {
  const found = resentAs(facts, 'blind');
  if (found === null) return null;
  const { first, again } = found;
  return {
    why: `${requestWords(first)} got ${toldWords(first.told)}. #${String(again.number)} sends it again without a look at the operation.`,
    requests: [first.number, again.number],
  };
};

/** What the operation no longer waits for is not sent again: a code has one attempt. */
export const codeOnce: Rule = (facts) => {
  const found = resentAs(facts, 'settled');
  if (found === null) return null;
  const { first, again, seen } = found;
  return {
    why: `After ${requestWords(first)} the command saw that the operation is ${seen}. #${String(again.number)} sends it anyway.`,
    requests: [first.number, again.number],
  };
};
