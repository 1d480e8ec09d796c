import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { noFaults } from './faults.js';

/** @typedef {{ words: readonly string[], code: number | null, out: string, err: string }} Run of the program */
/**
 * @typedef {object} World
 * @property {string} root the home, and the folder in which lines are typed
 * @property {import('./service.js').Service} service
 * @property {(words: readonly string[], stdin?: string) => Promise<Run>} svc types a line; `stdin` names a file of the root
 * @property {() => number} random
 */
/**
 * @typedef {object} After what is known when the power is back
 * @property {string} told what was read from standard output before
 * @property {readonly string[]} accepted ids of events that a sender had been told were taken
 */
/**
 * @typedef {Record<import('./faults.js').Fault, number> & { stopped: number, notes: string[] }} Verdict `stopped`: a store is gone, svc sends nothing and names `--skip-paid`
 */

/** @param {number} count @param {string} name */
export function payroll(count, name = 'emp') {
  const head =
    'reference,amount,country,currency,method,purpose,beneficiary.name,beneficiary.document.type,' +
    'beneficiary.document.number,beneficiary.bank_code,beneficiary.account_number';
  const rows = Array.from({ length: count }, (_, at) =>
    [
      ...[`${name}-${String(at)}`, `${String(100 + at)}.50`, 'VE,VES,mobile_payment,payroll,Ana Perez,V'],
      ...[String(20_000_000 + at), '0102', `0412${String(1_000_000 + at)}`],
    ].join(),
  );
  return [head, ...rows, ''].join('\n');
}

/** @param {string} reference */
export const create = (reference) => [
  ...[
    'payouts',
    'create',
    '--method',
    'mobile_payment',
    '--country',
    'VE',
    '--currency',
    'VES',
    '--amount',
    '10.00',
  ],
  ...['document.type=V', 'document.number=12345678', 'bank_code=0102', 'account_number=04121234567'].flatMap(
    (party) => ['--beneficiary', party],
  ),
  ...['--reference', reference, '--json'],
];
export const REPEAT = ['requests', 'repeat', '--all', '--json'];
/** @param {string} name */
export const pay = (name) => ['payouts', 'batch', `${name}.csv`, '--concurrency', '8', '--json'];

/** @returns {Verdict} */
export const clean = () => ({ ...noFaults(), stopped: 0, notes: [] });

/** @param {Verdict} verdict @param {Run} run */
export function noted(verdict, run) {
  verdict.notes.push(
    `${run.words.slice(0, 3).join(' ')}: ${String(run.code)} ${(run.err || run.out).trim().slice(-300)}`,
  );
  if (run.code === 16 || run.code === 1 || run.code === null) verdict.refused += 1;
  return run;
}

/** @param {World} world @param {string} name */
export function textOf({ root }, name) {
  return existsSync(join(root, name)) ? readFileSync(join(root, name), 'utf8') : '';
}

/** @param {World} world @param {string} name @param {string} text */
export const put = ({ root }, name, text) => writeFileSync(join(root, name), text, { mode: 0o600 });

/** @param {string} text */
const idsIn = (text) => [...text.matchAll(/"id":\s*"([0-9a-f-]{36})"/g)].map(([, id]) => id);

/** @param {World & After} world @param {readonly string[]} references @param {string} shown */
export async function settleCreates(world, references, shown) {
  const verdict = clean();
  /** @param {string} reference @param {string} text */
  const isIn = (reference, text) => world.service.paid(reference).some(({ id }) => text.includes(id));
  const isTrue = idsIn(shown).every((id) =>
    references.some((reference) => world.service.paid(reference).some((one) => one.id === id)),
  );
  if (!isTrue) verdict.lied += 1;
  let known = shown;
  if (references.some((reference) => !isIn(reference, known)))
    known += noted(verdict, await world.svc(REPEAT)).out;
  for (const reference of references)
    if (!isIn(reference, known)) noted(verdict, await world.svc(create(reference)));
  return counted(verdict, world, references);
}

/** @param {Verdict} verdict @param {World} world @param {readonly string[]} references */
export function counted(verdict, { service }, references) {
  for (const reference of references) {
    const { length } = service.paid(reference);
    if (length > 1) verdict.twice += 1;
    if (length === 0) verdict.lost += 1;
  }
  return verdict;
}

/** @param {string} name @param {number} count */
export const referencesOf = (name, count) =>
  Array.from({ length: count }, (_, at) => `${name}-${String(at)}`);

/** @param {string} text */
const jsonOf = (text) => /** @type {Record<string, unknown>} */ (JSON.parse(text));

/**
 * @param {World & After} world
 * @param {readonly string[]} line
 * @param {readonly string[]} references
 * @param {string} batch
 */
export async function finishBatch(world, line, references, batch) {
  const verdict = clean();
  let end = noted(
    verdict,
    await world.svc(world.random() < 0.3 ? ['batches', 'resume', batch, '--json'] : line),
  );
  for (let again = 0; again < 3 && !isAtAnEnd(end); again += 1) end = noted(verdict, await world.svc(line));
  if (end.code === 13 && !isFinished(end) && end.err.includes('--skip-paid')) {
    verdict.stopped += 1;
    noted(verdict, await world.svc([...line, '--skip-paid']));
  }
  const status = noted(verdict, await world.svc(['batches', 'status', batch, '--json']));
  counted(verdict, world, references);
  const confirmed = status.code === 0 ? Number(jsonOf(status.out)['confirmed']) : 0;
  const paid = references.filter((reference) => world.service.paid(reference).length > 0).length;
  if (confirmed > paid) verdict.lied += 1;
  if (confirmed !== references.length && verdict.lost === 0 && verdict.stopped === 0) verdict.unsettled += 1;
  return verdict;
}

/** @param {Run} run */
const isFinished = ({ code, err }) => code === 0 || err.includes('"batch_finished"');

/** @param {Run} run */
const isAtAnEnd = (run) => isFinished(run) || run.code === 13 || run.code === 16;

/** @param {World} world @param {string} text */
export function missingIn({ service }, text) {
  const seen = new Set();
  for (const line of text.split('\n')) {
    try {
      seen.add(/** @type {{ data: { id: string } }} */ (JSON.parse(line)).data.id);
    } catch {
      // A line that a cut has torn does not count.
    }
  }
  return service.arrivals().filter(({ operation }) => !seen.has(operation.id)).length;
}

/** @param {World} world @param {string} reference */
export async function leaveOpen({ service, svc }, reference) {
  service.mute(true);
  await svc([...create(reference), '--timeout', '2s']);
  service.mute(false);
}

/** @param {World} world @param {string} name @param {string} sql */
export function inStore({ root }, name, sql) {
  const file = join(root, name);
  if (!existsSync(file)) return null;
  const db = new DatabaseSync(file);
  try {
    return /** @type {Record<string, number>} */ (db.prepare(sql).get());
  } finally {
    db.close();
  }
}
