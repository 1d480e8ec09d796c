/** A long table of which only the rows in sight are in the document: five thousand scroll like fifty. */
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Empty, ZonedTitle } from './parts.js';
import { hrefOf, type View } from './route.js';

export interface RowColumn<T> {
  readonly title: string;
  /** Of its width, and of when there is no room for it. */
  readonly class?: 'status' | 'code' | 'result' | 'number' | 'few' | 'far' | 'wide';
  /** Its cells are times: the title says whose. */
  readonly isTime?: boolean;
  readonly cell: (row: T) => ComponentChildren;
}

interface LongTableProps<T> {
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

function LongTable<T>({ label, columns, rows, keyOf, chosen, onSeen }: LongTableProps<T>) {
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
                {column.isTime === true ? <ZonedTitle>{column.title}</ZonedTitle> : column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Space count={first} />
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
          <Space count={rows.length - last} />
        </tbody>
      </table>
    </div>
  );
}

/** One cell, not one across all columns: those without room would be counted, and take their part of the width. */
function Space({ count }: { readonly count: number }) {
  if (count <= 0) return null;
  return (
    <tr class="space" aria-hidden="true">
      <td style={{ height: `${String(count * ROW_PX)}px` }} />
    </tr>
  );
}

interface SplitProps {
  /** Whether something is looked at closely. */
  readonly isOpen: boolean;
  /** What the list is. */
  readonly label: string;
  readonly detail: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Split({ isOpen, label, detail, children }: SplitProps) {
  return (
    <div class={isOpen ? 'split open' : 'split'}>
      <section class="list" aria-label={label}>
        {children}
      </section>
      {isOpen && detail}
    </div>
  );
}

interface RowsOrNoneProps<T> extends Omit<LongTableProps<T>, 'rows'> {
  /** Null until it is known. */
  readonly rows: readonly T[] | null;
  readonly none: ComponentChildren;
}

/** The rows, or why there are none. */
export function RowsOrNone<T>({ rows, none, ...rest }: RowsOrNoneProps<T>) {
  return rows?.length === 0 ? <Empty>{none}</Empty> : <LongTable {...rest} rows={rows ?? []} />;
}

/** The name of what is looked at closely, for the title of the tab; empty for nothing. */
export const looked = signal('');

interface CloselyProps<T> {
  readonly label: string;
  /** The list that it is from. */
  readonly view: View;
  /** Null where it is not there, or not yet. */
  readonly data: T | null;
  readonly none: string;
  /** What it is called. */
  readonly name: (data: T) => string;
  readonly show: (data: T) => ComponentChildren;
}

/** What is looked at closely, with the way back. */
export function Closely<T>({ label, view, data, none, name, show }: CloselyProps<T>) {
  const section = useRef<HTMLElement>(null);
  const called = data === null ? '' : name(data);
  useEffect(() => {
    looked.value = called;
    return () => (looked.value = '');
  }, [called]);
  useLayoutEffect(() => {
    const { hash } = location;
    // The row that was pressed may have no room beside what it opened: then the focus comes along, and goes back with it.
    if (document.activeElement !== document.body && !isFocusSeen())
      section.current?.focus({ preventScroll: true });
    return () =>
      requestAnimationFrame(() => {
        const row = isFocusSeen()
          ? null
          : document.querySelector<HTMLElement>(`a.whole[href="${CSS.escape(hash)}"]`);
        row?.focus({ preventScroll: true });
      });
  }, []);
  return (
    <section class="detail" aria-label={label} ref={section} tabIndex={-1}>
      <a class="back" href={hrefOf(view)}>
        All {view === 'webhooks' ? 'deliveries' : view}
      </a>
      {data === null ? <Empty>{none}, or the page is still reading it.</Empty> : show(data)}
    </section>
  );
}

function isFocusSeen(): boolean {
  const { activeElement: focused, body } = document;
  return focused instanceof HTMLElement && focused !== body && focused.offsetParent !== null;
}
