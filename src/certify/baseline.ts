/** Compares the clean runs of a command: finds its payments and the members that change in each run, or why runs can't be judged. Pure. */
import { counted } from '../contract/on-screen.js';
import type { EndpointId } from '../contract/endpoints.js';
import type { ChangingPaths, Clean, CleanPayment, NotJudgedReason } from './client-exam.js';
import { changedPaths, fingerprintOf, hasSameShape, markOfBody, sharedMembers } from './fingerprint.js';
import { isAction, isCreate, type SeenPayment, type RunView, runViewOf } from './run-view.js';
import type { SeenRequest, SeenRun } from './seen.js';

/** Every run may send this many writes, even if the clean runs send few. */
const WRITES_MIN = 50;
const WRITES_FACTOR = 10;
const LABEL_MIN = 4;
/** The most bodies of the first run in one round: a round compares each of them with all bodies of the second. */
const COMPARED_MAX = 100;

const RESET_HINT = ' If the command remembers its first run, reset that with --before.';

/** Returns what two clean runs have in common, or why they can't be judged. Pairs their bodies first: members that differ in a pair do not count. */
export function compareCleanRuns(first: SeenRun, second: SeenRun): Clean | NotJudgedReason {
  const runs = [first, second];
  for (const { exitCode, stoppedFor } of runs) {
    if (stoppedFor !== null)
      return { notJudged: 'stopped', why: 'A clean run did not end within the limit.' };
    if (exitCode === 0) continue;
    const isSecond = first.exitCode === 0;
    const whichRun = isSecond
      ? `The first clean run ended with exit code 0, the second with`
      : 'A clean run ended with exit code';
    return { notJudged: 'exit', why: `${whichRun} ${String(exitCode)}.${isSecond ? RESET_HINT : ''}` };
  }
  const unreached = 'No request of the command reached the sandbox. Does it use SVC_BASE_URL?';
  if (first.requests.length === 0) return { notJudged: 'no_request', why: unreached };

  const changing = findChangingPaths(first, second);
  const clean = summarizeCleanRuns(runs, changing);
  const differences = differencesOf(clean.views);
  if (differences.length > 0) {
    const shown = differences.slice(0, 4).join('; ');
    const [mine = 0, its = 0] = clean.views.map((view) => keysOf(view).length);
    const resetHint = its < mine ? RESET_HINT : '';
    return { notJudged: 'differs', why: `The two clean runs sent different requests: ${shown}.${resetHint}` };
  }
  if ([...clean.payments.values()].some((payment) => payment.made > 0)) return clean;
  const why = `The command sent ${counted(clean.requests, 'request')} and made no payment.`;
  return { notJudged: 'no_payment', why };
}

function summarizeCleanRuns(runs: readonly SeenRun[], changing: ChangingPaths): Clean {
  const views = runs.map((run) => runViewOf(run, changing));
  const fingerprints = [...new Set(views.flatMap(({ payments }) => [...payments.keys()]))];
  const writes = Math.max(
    ...runs.map(({ requests }) => requests.filter(({ method }) => method === 'POST').length),
  );
  const keys = views.map((view) => keysOf(view).join('\n'));
  return {
    ...{ views, changing },
    payments: new Map(fingerprints.map((one) => [one, cleanPayment(one, fingerprints, views)])),
    hasNewKeys: new Set(keys).size > 1,
    requests: runs[0]?.requests.length ?? 0,
    tookMs: runs[0]?.tookMs ?? 0,
    writesMax: Math.max(WRITES_MIN, WRITES_FACTOR * writes),
  };
}

function keysOf({ payments }: RunView): string[] {
  return [...payments.values()].flatMap(({ keys }) => keys.map(({ key }) => key ?? '')).sort();
}

function cleanPayment(fingerprint: string, all: readonly string[], views: readonly RunView[]): CleanPayment {
  const runPayments = views.map(({ payments }) => payments.get(fingerprint));
  const [first] = runPayments.flatMap((payment) => payment ?? []);
  if (first === undefined) throw new Error('a fingerprint of no run');
  const counts = (is: (operation: SeenPayment['operations'][number]) => boolean): number[] =>
    runPayments.map((payment) => payment?.operations.filter(is).length ?? 0);
  const { route, body } = first;
  let length = LABEL_MIN;
  while (all.some((other) => other !== fingerprint && other.startsWith(fingerprint.slice(0, length))))
    length += 1;
  return {
    ...{ fingerprint, label: fingerprint.slice(0, length), route, body },
    made: Math.min(...counts(() => true)),
    confirmed: Math.min(...counts(({ status }) => status === 'confirmed')),
    awaitingCode: Math.max(...counts(({ reason }) => reason === 'awaiting_code')),
  };
}

/** Says in words how the writes of two runs differ. Reads do not count: a command may poll as long as it likes. */
function differencesOf([one, other]: readonly RunView[]): string[] {
  if (one === undefined || other === undefined) return [];
  const [mine, its] = [writesOf(one), writesOf(other)];
  return [...new Set([...mine.keys(), ...its.keys()])].flatMap((what) => {
    const [here, there] = [mine.get(what) ?? 0, its.get(what) ?? 0];
    return here === there ? [] : [`${what} ${counted(here, 'time')}, then ${counted(there, 'time')}`];
  });
}

/** Counts payments by their keys, so that a retry does not count again, and actions by their requests. */
function writesOf({ payments, paymentOf, run }: RunView): ReadonlyMap<string, number> {
  const writes = new Map<string, number>();
  for (const { fingerprint, route, keys } of payments.values())
    writes.set(`${route} ${fingerprint.slice(0, LABEL_MIN)}`, keys.length);
  for (const request of run.requests) {
    if (!isAction(request.route)) continue;
    const of = paymentOf(request)?.fingerprint.slice(0, LABEL_MIN) ?? 'of an operation that it did not make';
    const what = `${request.route} ${of}`;
    writes.set(what, (writes.get(what) ?? 0) + 1);
  }
  return writes;
}

/** Finds the paths that differ between the bodies of two runs. Pairs equal bodies first, then those that share most members. */
function findChangingPaths(first: SeenRun, second: SeenRun): ChangingPaths {
  const changing = new Map<EndpointId, Set<string>>();
  const requests = [...first.requests, ...second.requests];
  for (const route of new Set(requests.map((request) => request.route).filter(isCreate))) {
    let [left, right] = [bodiesOf(first, route), bodiesOf(second, route)];
    for (;;) {
      [left, right] = withoutEqualBodies(left, right, route, new Map(changing));
      const pair = closestPair(left.slice(0, COMPARED_MAX), right);
      if (pair === null) break;
      addChangingPaths(changing, route, changedPaths(...pair));
      left = left.filter((body) => body !== pair[0]);
      right = right.filter((body) => body !== pair[1]);
    }
  }
  return changing;
}

/** The bodies of a route. Requests with the same key and equal members are one payment, so only one of their bodies counts. */
function bodiesOf({ requests }: SeenRun, route: EndpointId): Uint8Array[] {
  const own = requests.filter((request) => request.route === route);
  const named = own.map(
    ({ scope, key, body }) => [`${scope} ${markOfBody(body)} ${key ?? ''}`, body] as const,
  );
  return [...new Map(named).values()];
}

/** Removes from both sides the bodies that are the same payment, as far as the changing paths are known. */
function withoutEqualBodies(
  left: readonly Uint8Array[],
  right: readonly Uint8Array[],
  route: EndpointId,
  changing: ChangingPaths,
): [Uint8Array[], Uint8Array[]] {
  const unpairedBodies = new Map<string, Uint8Array[]>();
  for (const body of right) {
    const name = fingerprintOf(route, body, changing);
    unpairedBodies.set(name, [...(unpairedBodies.get(name) ?? []), body]);
  }
  const unpaired = left.filter(
    (body) => unpairedBodies.get(fingerprintOf(route, body, changing))?.shift() === undefined,
  );
  return [unpaired, [...unpairedBodies.values()].flat()];
}

/** The pair that shares most members; null if a side is empty, or no pair is JSON. */
function closestPair(
  left: readonly Uint8Array[],
  right: readonly Uint8Array[],
): [Uint8Array, Uint8Array] | null {
  let bestPair: [Uint8Array, Uint8Array] | null = null;
  let mostShared = -1;
  for (const one of left)
    for (const other of right) {
      const shared = sharedMembers(one, other);
      if (shared > mostShared) [bestPair, mostShared] = [[one, other], shared];
    }
  return bestPair;
}

/** Adds paths to the changing paths of a route. @returns the new paths, each as `ROUTE PATH` */
function addChangingPaths(
  changing: Map<EndpointId, Set<string>>,
  route: EndpointId,
  paths: readonly string[],
): string[] {
  const earlierPaths = changing.get(route) ?? new Set<string>();
  const newPaths = paths.filter((path) => !earlierPaths.has(path));
  changing.set(route, new Set([...earlierPaths, ...newPaths]));
  return newPaths.map((path) => `${route} ${path}`);
}

/**
 * Learns further changing paths. A payment of a clean run that a run lacks is compared with the closest strange payment of the same shape: a
 * date in a reference may have rolled over. Only requests before the fault count, because a command may write something else after it.
 * @returns the clean runs with new fingerprints, and the learnt paths, each as `ROUTE PATH`; null if nothing is new
 */
export function relearn(
  clean: Clean,
  runs: readonly SeenRun[],
): { readonly clean: Clean; readonly learnt: readonly string[] } | null {
  const changing = new Map([...clean.changing].map(([route, paths]) => [route, new Set(paths)]));
  const learntPaths: string[] = [];
  for (const run of runs) {
    const createsByName = new Map<string, SeenRequest>();
    for (const request of run.requests)
      if (isCreate(request.route))
        createsByName.set(fingerprintOf(request.route, request.body, clean.changing), request);
    const firstSpoiled = run.requests.find(({ fault }) => fault !== null)?.number ?? Infinity;
    let strangeRequests = [...createsByName].flatMap(([name, request]) =>
      request.number < firstSpoiled && !clean.payments.has(name) ? [request] : [],
    );
    for (const { fingerprint, route, body } of clean.payments.values()) {
      if (createsByName.has(fingerprint)) continue;
      const alike = strangeRequests.filter((one) => one.route === route && hasSameShape(one.body, body));
      const bodies = alike.map((one) => one.body);
      const pair = closestPair([body], bodies);
      if (pair === null) continue;
      learntPaths.push(...addChangingPaths(changing, route, changedPaths(...pair)));
      strangeRequests = strangeRequests.filter((one) => one.body !== pair[1]);
    }
  }
  if (learntPaths.length === 0) return null;
  const cleanRuns = clean.views.map(({ run }) => run);
  return { clean: summarizeCleanRuns(cleanRuns, changing), learnt: [...new Set(learntPaths)] };
}
