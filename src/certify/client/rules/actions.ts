import { breachOf, excessRepetitions, clearestRepetition, groupOf, type Repetition } from '../repetition.js';
import { hasEndedBefore, type Rule, requestWords, answerWords } from '../rule.js';
import { isAction, isSuccessStatus, type RunView } from '../run-view.js';
import { isOutcomeUnknown, type SeenRequest, type SeenRun, type OperationState } from '../request-seen.js';

interface RepeatedAction extends Repetition {
  /** `blind`: sent again without a look at the operation. `settled`: sent although the operation no longer waits. */
  readonly kind: 'blind' | 'settled';
  readonly stateText: string;
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

type Mistake = Pick<RepeatedAction, 'kind' | 'stateText'>;

function mistakeOf(run: SeenRun, first: SeenRequest, again: SeenRequest): Mistake | null {
  const looks = looksBetween(run, first, again);
  const isOpen = !hasEndedBefore(first, again) || isOutcomeUnknown(first.answer);
  if (isOpen && looks.length === 0) return { kind: 'blind', stateText: '' };
  const firstState =
    !isOpen && first.answer.kind === 'readable' && first.answer.status < 300 ? first.answer.operation : null;
  const state =
    looks.findLast((look) => look !== null) ?? (again.route === 'payins.confirm' ? firstState : null);
  if (state === null || (!isOpen && firstState === null)) return null;
  const isCancel = again.route === 'payins.cancel' || again.route === 'payouts.cancel';
  const isAwaited = isCancel || state.reason === null || state.reason === 'awaiting_code';
  if (state.status === 'pending' && isAwaited) return null;
  return {
    kind: 'settled',
    stateText: state.reason === null ? state.status : `${state.status}, ${state.reason}`,
  };
}

function looksBetween(run: SeenRun, first: SeenRequest, again: SeenRequest): (OperationState | null)[] {
  const isMine = (operation: OperationState | null): boolean => operation?.id === again.operation;
  const answers = run.requests.flatMap((look) => {
    const { answer, number, endedMs } = look;
    if (look.scope !== again.scope) return [];
    const isBetween = number > first.number && number < again.number && hasBegunAfter(look, first);
    if (!isBetween || !hasEndedBefore(look, again) || answer.kind !== 'readable' || answer.status >= 300)
      return [];
    const listedState = look.route === 'events.list' ? (answer.events.findLast(isMine) ?? null) : undefined;
    const state = isMine(answer.operation) ? answer.operation : listedState;
    if (state === undefined) return [];
    const hasCrossed = endedMs === null || endedMs > again.atMs;
    return [{ atMs: endedMs ?? again.atMs, state: hasCrossed ? null : state }];
  });
  const deliveries = run.deliveries.flatMap(({ atMs, operation, statuses }) => {
    const isTimely = atMs >= first.atMs && atMs <= again.atMs;
    const isSeen = isTimely && isMine(operation) && statuses.some(isSuccessStatus);
    return isSeen ? [{ atMs, state: operation }] : [];
  });
  return [...answers, ...deliveries].sort((one, other) => one.atMs - other.atMs).map(({ state }) => state);
}

function hasBegunAfter(look: SeenRequest, first: SeenRequest): boolean {
  return hasEndedBefore(first, look) || (first.fault === null && first.answer.kind === 'none');
}

const actionRule =
  (kind: RepeatedAction['kind'], whyOf: (repeat: RepeatedAction) => string): Rule =>
  (facts) => {
    const brokenGroups = new Set(excessRepetitions(facts, repeatedActions).map(({ group }) => group));
    const repeatsOfKind = excessRepetitions(facts, (view) =>
      repeatedActions(view).filter((one) => one.kind === kind),
    );
    return breachOf(clearestRepetition(repeatsOfKind.filter(({ group }) => brokenGroups.has(group))), whyOf);
  };

export const lookFirst = actionRule(
  'blind',
  ({ first, again }) =>
    `${requestWords(first)} got ${answerWords(first.answer)}. #${String(again.number)} sends it again without a look at the operation.`,
);

export const codeOnce = actionRule(
  'settled',
  ({ first, again, stateText }) =>
    `After ${requestWords(first)} the command saw that the operation is ${stateText}. #${String(again.number)} sends it anyway.`,
);
