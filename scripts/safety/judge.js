import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { arrivedBy, keysLeftBy } from './cuts.js';
import { digest, materialise } from './disk.js';
import { FAULT_NAMES, noFaults } from './faults.js';
import { clean } from './person.js';

/** @typedef {import('./cuts.js').Recorded} Recorded */
/** @typedef {import('./disk.js').Mode} Mode */
/** @typedef {import('./faults.js').Fault} Fault */
/** @typedef {import('./person.js').Verdict} Verdict */
/** @typedef {Record<Fault | 'cheap' | 'dear' | 'strict' | 'stopped', number>} Counts */
/**
 * @typedef {{ scenario: string, call: string, state: number, mode: Mode, kept: number, faults: string, notes: readonly string[] }} Finding
 */
/**
 * @typedef {object} Plan
 * @property {number} cheap distinct states that are asked cheaply
 * @property {number} dear distinct states that the program recovers from
 * @property {() => number} random
 * @property {readonly Mode[]} [modes]
 * @property {(site: string) => boolean} [ignored] syncs that are taken for absent
 * @property {boolean} [isFirstEnough] stops at the first finding
 * @property {(finding: Finding, entries: readonly import('./disk.js').Entry[]) => void} [onFinding]
 */

const KEPT = [0, 0, 0.2, 0.5, 0.8, 1];
/** A run of few calls may have fewer states than were asked for. */
const TRIES_PER_STATE = 12;

/** @returns {Counts} */
export function nothingCounted() {
  return { cheap: 0, dear: 0, strict: 0, stopped: 0, ...noFaults() };
}

/**
 * @param {import('./cuts.js').Stage} stage
 * @param {Recorded} recorded
 * @param {Plan} plan
 * @returns {Promise<{ counts: Counts, findings: Finding[] }>}
 */
export async function examine(stage, recorded, plan) {
  const { random, modes = ['strict', 'ordered'] } = plan;
  const counts = nothingCounted();
  /** @type {Finding[]} */
  const findings = [];
  const seen = new Set();
  const wanted = plan.cheap + plan.dear;
  for (let tries = 0; tries < wanted * TRIES_PER_STATE && seen.size < wanted; tries += 1) {
    const index = moment(recorded, stage.scenario.stdout, random);
    const mode = pick(modes, random);
    const kept = pick(KEPT, random);
    const grain = random() < 0.75 ? 4096 : 512;
    const entries = recorded.history.sample(index, {
      random,
      mode,
      kept,
      grain,
      ...(plan.ignored && { ignored: plan.ignored }),
    });
    const arrivals = arrivedBy(recorded, index, random);
    const known = knownAt(recorded, index);
    // The same bytes are another state if more requests had left or more was shown.
    const state = JSON.stringify([digest(entries), arrivals.map(({ key }) => key), known]);
    if (seen.has(state)) continue;
    seen.add(state);
    // Expensive states come first, because a run of few calls may have no others.
    const isDear = counts.dear < plan.dear;
    materialise(entries, stage.root);
    const verdict = isDear ? await recovery(stage, known, arrivals, random) : cheaply(stage, known);
    if (mode === 'ordered') verdict.refused += verdict.stopped;
    counts[isDear ? 'dear' : 'cheap'] += 1;
    if (mode === 'strict') counts.strict += 1;
    counts.stopped += verdict.stopped;
    for (const fault of FAULT_NAMES) counts[fault] += Math.min(1, verdict[fault]);
    if (FAULT_NAMES.every((fault) => verdict[fault] === 0)) continue;
    const found = FAULT_NAMES.filter((fault) => verdict[fault] > 0).map(
      (fault) => `${String(verdict[fault])} ${fault}`,
    );
    const call = recorded.calls[index];
    const finding = {
      ...{
        scenario: recorded.scenario,
        state: seen.size,
        mode,
        kept,
        faults: found.join(', '),
        notes: verdict.notes,
      },
      call: `${String(index)} ${call === undefined ? '' : said(call)}`,
    };
    findings.push(finding);
    plan.onFinding?.(finding, entries);
    if (plan.isFirstEnough === true) break;
  }
  return { counts, findings };
}

/** @param {import('./trace.js').SystemCall} call */
function said(call) {
  if (call.kind === 'sent') return `sent ${call.key}`;
  return call.kind === 'told' ? 'told' : `${call.kind} ${call.path}`;
}

/** @param {Recorded} recorded @param {string | undefined} stdout @param {() => number} random */
function moment({ calls }, stdout, random) {
  const last = calls.length - 1;
  const sendings = calls.flatMap(({ kind }, index) => (kind === 'sent' ? [index] : []));
  if (sendings.length > 0 && random() < 0.4)
    return Math.min(last, pick(sendings, random) + Math.floor(random() * 3));
  const showings = calls.flatMap((call, index) => (isShowing(call, stdout) ? [index] : []));
  if (showings.length > 0 && random() < 0.3)
    return Math.max(0, pick(showings, random) - Math.floor(random() * 2));
  return random() < 0.1 ? last : Math.floor(random() * calls.length);
}

/** @param {import('./trace.js').SystemCall} call @param {string | undefined} stdout */
function isShowing(call, stdout) {
  return call.kind === 'told' || (call.kind === 'write' && call.path === stdout);
}

/** @typedef {{ left: readonly string[], told: string, accepted: readonly string[] }} Known */

/** @param {Recorded} recorded @param {number} index @returns {Known} */
function knownAt({ calls, accepted }, index) {
  const { entry = -1, at = 0 } = calls[index] ?? {};
  return {
    left: [...keysLeftBy(calls, entry)],
    told: calls.map((call) => (call.kind === 'told' && call.entry <= entry ? call.text : '')).join(''),
    accepted: accepted.filter((one) => one.at <= at).map(({ id }) => id),
  };
}

/** @param {import('./cuts.js').Stage} stage @param {Known} known */
function cheaply({ root, scenario }, { left }) {
  const answer = clean();
  const booked = new Set();
  for (const file of readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.db'),
  )) {
    try {
      for (const key of keysIn(join(root, file))) booked.add(key);
    } catch (error) {
      answer.damaged += 1;
      answer.notes.push(`${file}: ${String(error)}`);
    }
  }
  if (scenario.isForgetful === true || scenario.isEmbedded === true) return answer;
  answer.unbooked = left.filter((key) => !booked.has(key)).length;
  return answer;
}

const KEYS_OF = {
  requests: 'SELECT CAST(idempotency_key AS TEXT) AS key FROM requests',
  rows: "SELECT CAST(key AS TEXT) AS key FROM rows WHERE state <> 'planned'",
};

/** @param {string} file */
function keysIn(file) {
  const db = new DatabaseSync(file);
  try {
    const { quick_check: check } = /** @type {{ quick_check: string }} */ (
      db.prepare('PRAGMA quick_check(1)').get()
    );
    if (check !== 'ok') throw new Error(check);
    const tables = db
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
      .all()
      .map(({ name }) => String(name));
    return Object.entries(KEYS_OF)
      .filter(([table]) => tables.includes(table))
      .flatMap(([, sql]) =>
        db
          .prepare(sql)
          .all()
          .map(({ key }) => String(key)),
      );
  } finally {
    db.close();
  }
}

/**
 * @param {import('./cuts.js').Stage} stage
 * @param {Known} known
 * @param {readonly import('./service.js').Arrival[]} arrivals
 * @param {() => number} random
 * @returns {Promise<Verdict>}
 */
async function recovery(stage, { told, accepted }, arrivals, random) {
  stage.service.putBack(arrivals);
  try {
    return await stage.scenario.recover({ ...stage.world(random), told, accepted });
  } catch (error) {
    return { ...clean(), refused: 1, notes: [String(error)] };
  }
}

/** @template T @param {readonly T[]} items @param {() => number} random @returns {T} */
function pick(items, random) {
  return /** @type {T} */ (items[Math.floor(random() * items.length)]);
}
