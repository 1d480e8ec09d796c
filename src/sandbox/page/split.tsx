/** A list with what is looked at closely beside it: on a narrow screen one of the two. */
import type { ComponentChildren } from 'preact';
import { Empty } from './parts.js';
import { hrefOf, type View } from './route.js';
import { LongTable, type LongTableProps } from './rows.js';

export interface SplitProps {
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

export interface RowsOrNoneProps<T> extends Omit<LongTableProps<T>, 'rows'> {
  /** Null until it is known. */
  readonly rows: readonly T[] | null;
  readonly none: ComponentChildren;
}

/** The rows, or why there are none. */
export function RowsOrNone<T>({ rows, none, ...rest }: RowsOrNoneProps<T>) {
  return rows?.length === 0 ? <Empty>{none}</Empty> : <LongTable {...rest} rows={rows ?? []} />;
}

export interface CloselyProps<T> {
  readonly label: string;
  /** The list that it is from. */
  readonly view: View;
  /** Null where it is not there, or not yet. */
  readonly data: T | null;
  readonly none: string;
  readonly show: (data: T) => ComponentChildren;
}

/** What is looked at closely, with the way back. */
export function Closely<T>({ label, view, data, none, show }: CloselyProps<T>) {
  return (
    <section class="detail" aria-label={label}>
      <a class="back" href={hrefOf(view)}>
        All {view === 'webhooks' ? 'deliveries' : view}
      </a>
      {data === null ? <Empty>{none}, or the page is still reading it.</Empty> : show(data)}
    </section>
  );
}
