import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { build } from 'esbuild';
import { memoryRow, spread } from '../measure.js';

export const title = 'The comparison of a ledger with the service alone';
export const note =
  '1,000,000 lines, in no order, and 1,000,000 operations go into the work file, are compared, and every finding but a match is read: ' +
  'by reference; by three names; and with nothing on both sides. In the first two, one in a thousand has no line, and one in a thousand ' +
  'differs.';

const EACH = 1_000_000;
const BOOKS = [
  ['by their reference', 'reference', { atMost: 60 }],
  ['by three names', 'names', undefined],
  ['of which none is on both sides', 'nothing', undefined],
];

/** @param {import('../stage.js').Stage} stage */
export async function* run(stage) {
  const program = join(stage.folder, 'books.mjs');
  await build({
    stdin: { contents: COMPARE, resolveDir: join(import.meta.dirname, '../../..'), loader: 'js' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: program,
    logLevel: 'error',
  });
  for (const [what, books, goal] of BOOKS) {
    const { seconds, megabytes } = timed([program, String(books), String(EACH), stage.folder]);
    const rows = `1,000,000 lines against 1,000,000 operations, ${String(what)}`;
    yield { what: rows, unit: 's', ...(goal === undefined ? {} : { goal }), ...spread([seconds], 1) };
    yield memoryRow([megabytes]);
  }
}

/** @param {string[]} args */
function timed(args) {
  const { status, stderr } = spawnSync('/usr/bin/time', ['-f', '%e %M', process.execPath, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}:\n${stderr}`);
  const [seconds = 0, kilobytes = 0] = (stderr.trim().split('\n').at(-1) ?? '').split(' ').map(Number);
  return { seconds, megabytes: (kilobytes * 1024) / 1e6 };
}

const COMPARE = `
import { join } from 'node:path';
import { openReconciler } from './src/reconcile/match/match.js';
import { collectOften, streamInLittleMemory } from './src/runtime/memory.js';
streamInLittleMemory();
collectOften();
const [, , books, count, folder] = process.argv;
const total = Number(count);
const id = (index) => '00000000-0000-4000-8000-' + (Math.imul(index, 2654435761) >>> 0).toString(16).padStart(12, '0');
const reference = (index) => 'order-' + String(index).padStart(7, '0');
const date = (index) => '2026-11-' + String(1 + (index % 28)).padStart(2, '0');
const amount = (index) => (1 + (index % 9973)) + '.' + String(index % 100).padStart(2, '0');
const STATUSES = { 3: 'failed', 4: 'pending' };
function* lines() {
  for (let number = 0; number < total; number += 1) {
    const index = (number * 7919) % total;
    if (index % 1000 === 1) continue;
    const isNamed = books === 'names';
    yield {
      ...{ line: number + 2, direction: null, isNegative: false, currency: 'VES', date: date(index) },
      id: isNamed && index % 2 === 1 ? id(index) : null,
      reference: books === 'nothing' ? 'ledger-' + index : reference(index),
      bankReference: isNamed ? 'B' + index : null,
      amount: index % 1000 === 2 ? '7' : amount(index),
    };
  }
}
function* operations() {
  for (let index = 0; index < total; index += 1)
    yield {
      ...{ id: id(index), direction: 'payout', reference: reference(index), bankReference: 'B' + index },
      ...{ status: STATUSES[index % 1000] ?? 'confirmed', currency: 'VES', amount: amount(index) },
      date: date(index % 1000 === 5 ? index + 1 : index),
    };
}
const rules = { currency: null, tolerances: [], fees: [], days: 0, from: null, to: null };
const reconciling = openReconciler(join(folder, 'books-' + books + '.db'), rules);
reconciling.addLines(lines());
reconciling.addOperations(operations());
const { kind, reconciliation } = await reconciling.settle();
let found = 0;
for (const { class: name } of reconciling.findings(['amount_differs', 'status_differs', 'pending', 'date_differs', 'only_here', 'only_there']))
  if (name !== 'matched') found += 1;
reconciling[Symbol.dispose]();
const expected = books === 'nothing' ? 2 * total - (2 * total) / 1000 : total / 200;
if (kind !== 'settled' || reconciliation.agrees || found !== expected) throw new Error('found ' + found);
`;
