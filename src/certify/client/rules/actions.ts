/** Rules for a repeated confirm, resend or cancel: after a look at the operation, and only while the operation waits (contract sections 3, 4, 8). */
import { breachOf, excessRepetitions, clearestRepetition, groupOf, type Repetition } from '../repetition.js';
import { hasEndedBefore, type Rule, requestWords, toldWords } from '../rule.js';
import { isAction, isSuccessStatus, type RunView } from '../run-view.js';
import { isLeftOpen, type SeenRequest, type SeenRun, type ToldOperation } from '../request-seen.js';

interface RepeatedAction extends Repetition {
  /** `blind`: sent again without a look at the operation. `settled`: sent again although the command saw that the operation no longer waits. */
  readonly kind: 'blind' | 'settled';
  readonly seen: string;
}

function repeatedActions(view: RunView): RepeatedAction[] {
  const lastRequests = new Map<string, SeenRequest>();
  return view.run.requests.flatMap((again) => {
    const { route, operation, scope } = again;
    if (!isAction(route) || operation === null) return [];
    const name = `${scope} ${route} ${operation}`;
    const first = lastRequests.get(name);
    lastRequests.set(name, again);
    if (first === undefined) return [];
    const mistake = mistakeOf(view.run, first, again);
    return mistake === null ? [] : [{ group: groupOf(view, again), first, again, ...mistake }];
  });
}

type Mistake = Pick<RepeatedAction, 'kind' | 'seen'>;

function mistakeOf(run: SeenRun, first: SeenRequest, again: SeenRequest): Mistake | null {
  const looks = looksBetween(run, first, again);
  const isOpen = !hasEndedBefore(first, again) || isLeftOpen(first.told);
  if (isOpen && looks.length === 0) return { kind: 'blind', seen: '' };
  const own =
    !isOpen && first.told.kind === 'answer' && first.told.status < 300 ? first.told.operation : null;
  // Without a look, the first answer judges only a confirm, which has one attempt. A resend may be repeated, and a
  // late cancel is refused.
  const state = looks.findLast((look) => look !== null) ?? (again.route === 'payins.confirm' ? own : null);
  // `noRepeat4xx` judges retries after a refusal. A look without the operation's state decides nothing.
  if (state === null || (!isOpen && own === null)) return null;
  const isCancel = again.route === 'payins.cancel' || again.route === 'payouts.cancel';
  const isAwaited = isCancel || state.reason === null || state.reason === 'awaiting_code';
  if (state.status === 'pending' && isAwaited) return null;
  return { kind: 'settled', seen: state.reason === null ? state.status : `${state.status}, ${state.reason}` };
}

/** Returns the state of the operation in each answer and delivery between two requests. Null: the answer may show a later state. */
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
    // An answer that crossed the second request may show the effect of that request already.
    const hasCrossed = endedMs === null || endedMs > again.atMs;
    return [{ atMs: endedMs ?? again.atMs, state: hasCrossed ? null : state }];
  });
  const deliveries = run.deliveries.flatMap(({ atMs, operation, answers: statuses }) => {
    const isTimely = atMs >= first.atMs && atMs <= again.atMs;
    const isSeen = isTimely && isMine(operation) && statuses.some(isSuccessStatus);
    return isSeen ? [{ atMs, state: operation }] : [];
  });
  return [...answers, ...deliveries].sort((one, other) => one.atMs - other.atMs).map(({ state }) => state);
}

/** If the command hung up itself, the service notices that late. */
function hasBegunAfter(look: SeenRequest, first: SeenRequest): boolean {
  return hasEndedBefore(first, look) || (first.fault === null && first.told.kind === 'none');
}

/** A repetition counts only if the run has more of its kind, and more of both kinds together, than a clean run. */
const actionRule =
  (kind: RepeatedAction['kind'], whyOf: (repeat: RepeatedAction) => string): Rule =>
  (facts) => {
    const all = new Set(excessRepetitions(facts, repeatedActions).map(({ group }) => group));
    const own = excessRepetitions(facts, (view) => repeatedActions(view).filter((one) => one.kind === kind));
    return breachOf(clearestRepetition(own.filter(({ group }) => all.has(group))), whyOf);
  };

/** Confirm, resend and cancel have no key: after a lost answer the operation has to be looked up first. */
export const lookFirst = actionRule(
  'blind',
  ({ first, again }) =>
    `${requestWords(first)} got ${toldWords(first.told)}. #${String(again.number)} sends it again without a look at the operation.`,
);

/** A code has one attempt, so an action must not be repeated once the operation no longer waits for it. */
export const codeOnce = actionRule(
  'settled',
  ({ first, again, seen }) =>
    `After ${requestWords(first)} the command saw that the operation is ${seen}. #${String(again.number)} sends it anyway.`,
);
