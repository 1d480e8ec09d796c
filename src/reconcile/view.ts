import type { Column, Cell } from '../output/table.js';
import type { Mark, Reader } from '../output/style.js';
import { labelFor, idCells, money, textAt, type Block } from '../output/views/blocks.js';
import type { JsonValue } from '../output/value.js';
import { listRenderer } from '../output/views/own-list.js';

const CLASS_MARKS: Readonly<Record<string, Mark>> = {
  matched: 'good',
  pending: 'waiting',
  date_differs: 'waiting',
};

const STATUS_MARKS: Readonly<Record<string, Mark>> = { confirmed: 'good', pending: 'waiting' };

const FINDING_COLUMNS: readonly Column[] = [
  { header: 'Line', align: 'right', whole: true },
  { header: 'File', align: 'right', whole: true },
  { header: 'Service', align: 'right', whole: true },
  { header: 'Reference' },
  { header: 'Status', whole: true, below: 'together' },
  { header: 'Operation', whole: true, below: 'together' },
  { header: 'Why', below: 'together' },
];

export function viewFindings(findings: readonly JsonValue[]): Block[] {
  const [first] = findings;
  if (first === undefined) return [];
  const pairs = findings.flatMap((finding) => {
    const lines = finding.members.get('here')?.elements ?? [];
    const operations = finding.members.get('there')?.elements ?? [];
    const count = Math.max(lines.length, operations.length, 1);
    return Array.from({ length: count }, (_, at) => ({
      line: lines[at],
      operation: operations[at],
      why: at === count - 1 ? textAt(finding, 'detail') : '',
    }));
  });
  const ids = idCells(pairs.map(({ operation }) => (operation === undefined ? '' : textAt(operation, 'id'))));
  const rows = pairs.map(({ line, operation, why }, at): Cell[] => [
    ...sidesOf(line, operation),
    ids[at] ?? '',
    why,
  ]);
  const nextCommand = findings.map((finding) => textAt(finding, 'next_command')).find((text) => text !== '');
  return [
    { block: 'heading', text: labelFor(textAt(first, 'words') || textAt(first, 'class')) },
    { block: 'table', columns: FINDING_COLUMNS, rows, empty: '' },
    ...(nextCommand === undefined ? [] : [{ block: 'command', text: nextCommand } as const]),
  ];
}

function sidesOf(line: JsonValue | undefined, operation: JsonValue | undefined): Cell[] {
  const status = operation === undefined ? '' : textAt(operation, 'status');
  return [
    line === undefined ? '' : textAt(line, 'line'),
    moneyAt(line),
    moneyAt(operation),
    nameOf(line) || nameOf(operation),
    status === '' ? '' : { text: status, mark: STATUS_MARKS[status] ?? 'bad' },
  ];
}

function moneyAt(side: JsonValue | undefined): string {
  return side === undefined ? '' : money(textAt(side, 'amount'), textAt(side, 'currency'));
}

function nameOf(side: JsonValue | undefined): string {
  if (side === undefined) return '';
  return textAt(side, 'reference') || textAt(side, 'bank_reference') || textAt(side, 'id');
}

const SUM_COLUMNS: readonly Column[] = [
  { header: 'What', whole: true },
  { header: 'Lines', align: 'right', whole: true },
  { header: 'File', align: 'right', whole: true },
  { header: 'Operations', align: 'right', whole: true },
  { header: 'Service', align: 'right', whole: true },
];

export function viewSums(sums: readonly JsonValue[], { width }: Pick<Reader, 'width'>): Block[] {
  const rows = sums.map((sum): Cell[] => {
    const kind = textAt(sum, 'class');
    const currency = textAt(sum, 'currency');
    const cells = (['here', 'there'] as const).flatMap((side) => [
      textAt(sum, side, 'count'),
      money(textAt(sum, side, 'amount'), currency),
    ]);
    if (kind === '')
      return [textAt(sum, 'words') || 'total', ...cells].map((text) => ({ text, tone: 'strong' }));
    const words = textAt(sum, 'words') || kind.replaceAll('_', ' ');
    return [{ text: words, mark: CLASS_MARKS[kind] ?? 'bad' }, ...cells];
  });
  const columns = SUM_COLUMNS.map((column) =>
    width < ROOMY_WIDTH && column.header === 'Operations' ? { ...column, header: 'Ops' } : column,
  );
  return [{ block: 'table', columns, rows, empty: 'Nothing to compare on either side.' }];
}

const ROOMY_WIDTH = 72;

export const renderFindingList = listRenderer({ findings: viewFindings, sums: viewSums });
