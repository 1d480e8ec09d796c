/** A long table of which only the rows in sight are in the document: five thousand scroll like fifty. */
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface RowColumn<T> {
  readonly title: string;
  readonly class?: string;
  readonly cell: (row: T) => ComponentChildren;
}

export interface LongTableProps<T> {
  readonly label: string;
  readonly columns: readonly RowColumn<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  /** The key of the row that is looked at. */
  readonly chosen: string;
  /** Those in sight, whenever they change. */
  readonly onSeen?: (first: number, last: number) => void;
}

/** As the style sheet has it. */
const ROW_PX = 48;
const BEYOND = 10;

export function LongTable<T>({ label, columns, rows, keyOf, chosen, onSeen }: LongTableProps<T>) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(800);
  const first = Math.max(0, Math.min(top, rows.length) - BEYOND);
  const last = Math.min(rows.length, top + Math.ceil(height / ROW_PX) + BEYOND);

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => onSeen?.(first, last), [first, last, rows]);

  // Rows that come above what is read do not push it away.
  const anchor = useRef<{ readonly key: string; readonly at: number } | null>(null);
  useLayoutEffect(() => {
    const [element, held] = [box.current, anchor.current];
    if (element === null) return;
    if (held !== null && held.at > 0) {
      const moved = rows.findIndex((row) => keyOf(row) === held.key) - held.at;
      if (moved > 0) element.scrollTop += moved * ROW_PX;
    }
    const at = Math.floor(element.scrollTop / ROW_PX);
    const row = rows[at];
    anchor.current = row === undefined ? null : { key: keyOf(row), at };
  }, [rows, top]);

  return (
    <div
      class="rows"
      ref={box}
      tabIndex={0}
      role="region"
      aria-label={label}
      onScroll={({ currentTarget }) => setTop(Math.floor(currentTarget.scrollTop / ROW_PX))}
    >
      <table aria-rowcount={rows.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column) => (
              <th key={column.title} scope="col" class={column.class}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Space count={first} columns={columns.length} />
          {rows.slice(first, last).map((row, index) => {
            const key = keyOf(row);
            return (
              <tr key={key} aria-rowindex={first + index + 2} class={key === chosen ? 'chosen' : ''}>
                {columns.map((column) => (
                  <td key={column.title} class={column.class}>
                    {column.cell(row)}
                  </td>
                ))}
              </tr>
            );
          })}
          <Space count={rows.length - last} columns={columns.length} />
        </tbody>
      </table>
    </div>
  );
}

function Space({ count, columns }: { readonly count: number; readonly columns: number }) {
  if (count <= 0) return null;
  return (
    <tr class="space" aria-hidden="true">
      <td colSpan={columns} style={{ height: `${String(count * ROW_PX)}px` }} />
    </tr>
  );
}
