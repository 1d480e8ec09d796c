import { counted } from '../../contract/on-screen.js';
import type { EndpointId } from '../../contract/endpoints.js';
import { changedPaths, fingerprintOf, markOfBody, sharedCount, type ChangingPaths } from './fingerprint.js';
import { isAction, isCreate, type SeenPayment, type RunView, runViewOf } from './run-view.js';
import type { SeenRun } from './request-seen.js';

export interface Baseline {
  readonly views: readonly RunView[];
  readonly changing: ChangingPaths;
  readonly payments: ReadonlyMap<string, CleanPayment>;
  readonly hasNewKeys: boolean;
  readonly requests: number;
  readonly tookMs: number;
  readonly writesMax: number;
}

export interface NotJudgedReason {
  readonly notJudged: 'exit' | 'stopped' | 'no_request' | 'no_payment' | 'differs';
  readonly why: string;
}

const WRITES_LIMIT_MIN = 50;
const WRITES_FACTOR = 10;
const LABEL_MIN = 4;
const COMPARED_MAX = 100;

const RESET_HINT = ' If the command remembers its first run, reset that with --before.';

export function compareCleanRuns(first: SeenRun, ...later: readonly SeenRun[]): Baseline | NotJudgedReason {
  const runs = [first, ...later];
  for (const { exitCode, stoppedFor } of runs) {
    if (stoppedFor !== null)
      return { notJudged: 'stopped', why: 'A clean run did not end within the limit.' };
    if (exitCode === 0) continue;
    const isLaterRun = first.exitCode === 0;
    const whichRun = isLaterRun
      ? `The first clean run ended with exit code 0, the second with`
      : 'A clean run ended with exit code';
    return { notJudged: 'exit', why: `${whichRun} ${String(exitCode)}.${isLaterRun ? RESET_HINT : ''}` };
  }
  const unreachedText = 'No request of the command reached the sandbox. Does it use SVC_BASE_URL?';
  if (first.requests.length === 0) return { notJudged: 'no_request', why: unreachedText };

  const changing = findChangingPaths(first, later);
  const views = runs.map((run) => runViewOf(run, changing));
  const writeCounts = views.map(countWrites);
  const differences = [...new Set(writeCounts.flatMap((one) => [...one.keys()]))].flatMap((write) => {
    const times = writeCounts.map((one) => one.get(write) ?? 0);
    const words = times.map((count) => counted(count, 'time')).join(', then ');
    return new Set(times).size > 1 ? [`${write} ${words}`] : [];
  });
  if (differences.length > 0) {
    const shown = differences.slice(0, 4).join('; ');
    const [keyCount = 0, laterKeyCount = 0] = views.map((view) => keysOf(view).length);
    const resetHint = laterKeyCount < keyCount ? RESET_HINT : '';
    return { notJudged: 'differs', why: `The two clean runs sent different requests: ${shown}.${resetHint}` };
  }
  const fingerprints = [...new Set(views.flatMap(({ payments }) => [...payments.keys()]))];
  const payments = fingerprints.map((one) => [one, cleanPayment(one, fingerprints, views)] as const);
  if (payments.every(([, { minMade }]) => minMade === 0)) {
    const why = `The command sent ${counted(first.requests.length, 'request')} and made no payment.`;
    return { notJudged: 'no_payment', why };
  }
  const postCounts = runs.map(({ requests }) => requests.filter(({ method }) => method === 'POST').length);
  return {
    ...{ views, changing, payments: new Map(payments) },
    hasNewKeys: new Set(views.map((view) => keysOf(view).join('\n'))).size > 1,
    ...{ requests: first.requests.length, tookMs: first.tookMs },
    writesMax: Math.max(WRITES_LIMIT_MIN, WRITES_FACTOR * Math.max(...postCounts)),
  };
}

function keysOf({ payments }: RunView): string[] {
  return [...payments.values()].flatMap(({ keys }) => keys.map(({ key }) => key ?? '')).sort();
}

export type CleanPayment = Readonly<ReturnType<typeof cleanPayment>>;

function cleanPayment(fingerprint: string, all: readonly string[], views: readonly RunView[]) {
  const runPayments = views.map(({ payments }) => payments.get(fingerprint));
  const [first] = runPayments.flatMap((payment) => payment ?? []);
  if (first === undefined) throw new Error('a fingerprint of no run');
  const counts = (isCounted: (operation: SeenPayment['operations'][number]) => boolean): number[] =>
    runPayments.map((payment) => payment?.operations.filter(isCounted).length ?? 0);
  const { route, body } = first;
  let length = LABEL_MIN;
  while (all.some((other) => other !== fingerprint && other.startsWith(fingerprint.slice(0, length))))
    length += 1;
  return {
    ...{ fingerprint, label: fingerprint.slice(0, length), route, body },
    minMade: Math.min(...counts(() => true)),
    minConfirmed: Math.min(...counts(({ status }) => status === 'confirmed')),
    maxAwaitingCode: Math.max(...counts(({ reason }) => reason === 'awaiting_code')),
  };
}

/** Reads do not count, because a command may poll as long as it likes. */
function countWrites({ payments, paymentOf, run }: RunView): ReadonlyMap<string, number> {
  const writes = new Map<string, number>();
  for (const { fingerprint, route, keys } of payments.values())
    writes.set(`${route} ${fingerprint.slice(0, LABEL_MIN)}`, keys.length);
  for (const request of run.requests) {
    if (!isAction(request.route)) continue;
    const owner =
      paymentOf(request)?.fingerprint.slice(0, LABEL_MIN) ?? 'of an operation that it did not make';
    const what = `${request.route} ${owner}`;
    writes.set(what, (writes.get(what) ?? 0) + 1);
  }
  return writes;
}

function findChangingPaths(first: SeenRun, later: readonly SeenRun[]): ChangingPaths {
  const changing = new Map<EndpointId, Set<string>>();
  const routes = new Set(
    [first, ...later].flatMap(({ requests }) => requests.map((request) => request.route)),
  );
  for (const route of [...routes].filter(isCreate))
    for (const run of later) {
      let [left, right] = [bodiesOf(first, route), bodiesOf(run, route)];
      for (;;) {
        [left, right] = withoutEqualBodies(left, right, route, new Map(changing));
        const pair = closestPair(left.slice(0, COMPARED_MAX), right);
        if (pair === null) break;
        changing.set(route, new Set([...(changing.get(route) ?? []), ...changedPaths(...pair)]));
        left = left.filter((body) => body !== pair[0]);
        right = right.filter((body) => body !== pair[1]);
      }
    }
  return changing;
}

function bodiesOf({ requests }: SeenRun, route: EndpointId): Uint8Array[] {
  const own = requests.filter((request) => request.route === route);
  const namedBodies = own.map(
    ({ scope, key, body }) => [`${scope} ${markOfBody(body)} ${key ?? ''}`, body] as const,
  );
  return [...new Map(namedBodies).values()];
}

type Bodies = readonly Uint8Array[];

function withoutEqualBodies(left: Bodies, right: Bodies, route: EndpointId, changing: ChangingPaths) {
  const unpairedRight = new Map<string, Uint8Array[]>();
  for (const body of right) {
    const fingerprint = fingerprintOf(route, body, changing);
    unpairedRight.set(fingerprint, [...(unpairedRight.get(fingerprint) ?? []), body]);
  }
  const unpairedLeft = left.filter(
    (body) => unpairedRight.get(fingerprintOf(route, body, changing))?.shift() === undefined,
  );
  return [unpairedLeft, [...unpairedRight.values()].flat()] as const;
}

function closestPair(left: Bodies, right: Bodies): [Uint8Array, Uint8Array] | null {
  let bestPair: [Uint8Array, Uint8Array] | null = null;
  let mostShared = -1;
  for (const one of left)
    for (const other of right) {
      const shared = sharedCount(one, other);
      if (shared > mostShared) [bestPair, mostShared] = [[one, other], shared];
    }
  return bestPair;
}
