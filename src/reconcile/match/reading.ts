/** Findings out of the work file, worst first, in an order that rests on nothing but what they hold. */
import type { WorkFile } from '../../runtime/work-file.js';
import { type Finding, FINDING_CLASSES, type FindingClass, MATCH_KEYS, type Named } from '../finding.js';
import { lineAt, operationAt } from './entries.js';

type Row = readonly [
  class_: number,
  by: number | null,
  here: number | null,
  there: number | null,
  ...json: readonly (string | null)[],
];

/** By currency, the greatest amount first: amounts are canonical, so that longer ones are greater and equally long ones compare as texts. */
const ORDER = `f.class, (f.class = ${FINDING_CLASSES.indexOf('matched')} AND f.tolerances IS NULL),
  CASE WHEN h.row IS NULL THEN t.currency ELSE coalesce(h.currency, ?) END,
  instr(coalesce(h.amount, t.amount) || '.', '.') DESC, coalesce(h.amount, t.amount) DESC,
  t.id, h.reference, h.bank_reference, h.id, h.day, h.direction, h.sign, h.line, h.raw`;

export function* findingsIn(
  file: WorkFile,
  classes: readonly FindingClass[],
  currency: string | null,
): Generator<Finding> {
  const numbers = classes.map((name) => FINDING_CLASSES.indexOf(name));
  const sql = `SELECT f.class, f.by, f.here, f.there, f.tolerances, f.more, f.beside, f.suggestion FROM finding f
    LEFT JOIN here h ON h.row = f.here LEFT JOIN there t ON t.row = f.there WHERE f.class IN (${numbers.join(', ')}) ORDER BY ${ORDER}`;
  for (const row of file.query<Row>(sql).iterate(currency)) yield findingOf(file, row);
}

function findingOf(
  file: WorkFile,
  [name, by, here, there, tolerances = null, more = null, beside = null, suggestion = null]: Row,
): Finding {
  const [moreHere, moreThere] = (parsed(more) ?? [[], []]) as [number[], number[]];
  return {
    class: FINDING_CLASSES[name] ?? 'ambiguous',
    by: by === null ? null : (MATCH_KEYS[by] ?? null),
    here: [...(here === null ? [] : [here]), ...moreHere].map((row) => lineAt(file, row)),
    there: [...(there === null ? [] : [there]), ...moreThere].map((row) => operationAt(file, row)),
    beside: namedBy(file, asLists(parsed(beside) as [number, number] | Rows | null)),
    tolerances: (parsed(tolerances) ?? []) as string[],
    suggestion: namedBy(file, parsed(suggestion) as [number[], number[]] | null),
  };
}

type Rows = readonly [lines: readonly number[], operations: readonly number[]];

/** A line and an operation, or lists of them. */
function asLists(beside: readonly [number, number] | Rows | null): Rows | null {
  if (beside === null) return null;
  const [lines, operations] = beside;
  return typeof lines === 'number' ? [[lines], [operations as number]] : (beside as Rows);
}

function namedBy(file: WorkFile, rows: Rows | null): Named | null {
  if (rows === null) return null;
  const [lines, operations] = rows;
  if (lines.length + operations.length === 0) return null;
  return {
    lines: lines.map((row) => lineAt(file, row).line).sort((a, b) => a - b),
    operations: operations.map((row) => operationAt(file, row).id).sort(),
  };
}

function parsed(json: string | null): unknown {
  return json === null ? null : JSON.parse(json);
}
