/** Turns a row of a file into one that can be planned: complete, checked against the catalog, with its body and marks. */
import type { Capabilities } from '../../contract/catalog.js';
import type { BankRule } from '../../contract/create.js';
import { referenceMark, twinMark } from '../../contract/marks.js';
import type { FileRow } from '../file/file-row.js';
import type { Problems } from '../file/problem.js';
import type { BatchFacts } from '../store/batch.js';
import type { PlannedRow } from '../store/row.js';
import { bodyText } from './body-text.js';
import { checkRow, missingMembers, withoutAvailability, type Shared } from './row-check.js';

/** A row before it is known which payment of its reference it is. */
export interface ReadRow extends Omit<PlannedRow, 'ordinal' | 'generation' | 'key' | 'seal' | 'earlier'> {
  readonly decimals: number;
}

export interface ReadingOptions {
  readonly facts: Pick<BatchFacts, 'direction'>;
  readonly shared: Shared;
  readonly catalog: Capabilities;
  readonly supportsBank: BankRule;
  readonly problems: Problems;
}

/** Reads one row after the other; null for a row with problems, which are noted. */
export function rowReader(options: ReadingOptions): (row: FileRow, number: number) => ReadRow | null {
  const { facts, shared, supportsBank, problems } = options;
  const { direction } = facts;
  const catalog = withoutAvailability(options.catalog);
  return (row, number) => {
    const missing = missingMembers(row.body, shared, catalog, direction);
    const whole = { ...row.body, ...missing };
    const checked = checkRow(catalog, direction, whole, supportsBank);
    if (!('reference' in checked)) {
      for (const { field, message } of checked) problems.add(row.line, field, message);
      return null;
    }
    return {
      ...checked,
      number,
      line: row.line,
      body: bodyText(row, missing),
      referenceMark: referenceMark(checked.reference),
      twinMark: twinMark(whole, direction),
    };
  };
}
