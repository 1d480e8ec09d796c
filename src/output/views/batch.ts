/** How a batch stands as a person reads it: one small table of states, rows and money, then what else is known of it. */
import type { Column } from '../columns.js';
import type { Pair } from '../detail.js';
import { leavesOf } from '../leaves.js';
import type { Reader } from '../reader.js';
import type { Mark } from '../style.js';
import type { Cell } from '../table.js';
import { namesTime, renderMember } from '../time.js';
import type { JsonValue } from '../value.js';
import { textAt, type Block } from './blocks.js';

/** What became of rows, the best first; a state that is not known here follows. */
const MARKS: Readonly<Record<string, Mark>> = {
  confirmed: 'good',
  pending: 'waiting',
  unknown: 'bad',
  failed: 'bad',
  rejected: 'bad',
  earlier: 'waiting',
  not_sent: 'waiting',
};

const TOLD = new Set(['rows', 'totals', 'states', 'resume_command']);

/** The summary of a run, or of a batch that is looked at. */
export function viewBatch(summary: JsonValue, { zone }: Pick<Reader, 'zone'>): Block[] {
  const { members } = summary;
  const totals = [...(members.get('totals')?.members ?? [])];
  const states = [...new Set(totals.flatMap(([, sums]) => [...sums.members.keys()]))].filter(
    (name) => name !== 'total',
  );
  const columns: Column[] = [
    { header: 'State', whole: true },
    { header: 'Rows', align: 'right', whole: true },
    ...totals.map(([currency]): Column => ({ header: currency, align: 'right', whole: true })),
  ];
  const moneyOf = (name: string): string[] => totals.map(([, sums]) => textAt(sums, name));
  const there = states.filter((name) => textAt(summary, name) !== '0');
  const rows = there.map((name): Cell[] => [
    { text: name.replaceAll('_', ' '), mark: MARKS[name] ?? 'waiting' },
    textAt(summary, name),
    ...moneyOf(name),
  ]);
  const all: Cell[] = ['total', textAt(summary, 'rows'), ...moneyOf('total')].map((text) => ({
    text,
    tone: 'strong',
  }));
  const rest = [...members]
    .filter(([name]) => !TOLD.has(name) && !states.includes(name))
    .flatMap(([name, value]) => leavesOf(value, name))
    .map(({ path, value }): Pair => ({
      label: path.replaceAll('_', ' '),
      value: renderMember(path, value.text, zone),
      whole: namesTime(path),
      ...(path === 'batch' ? { tone: 'strong' } : {}),
    }));
  const resume = textAt(summary, 'resume_command');
  return [
    { block: 'detail', pairs: rest },
    { block: 'table', columns, rows: [...rows, all], empty: '' },
    ...(resume === '' ? [] : [{ block: 'command', text: resume } as const]),
  ];
}
