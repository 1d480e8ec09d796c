import { signal, type Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ApiPath } from './answers.js';
import { zoneLabel } from './format.js';
import { EmptyText, zone } from './parts.js';
import { hrefOf, type View } from './route.js';
import { refusalOf, useReply, type ChangeKind, type ControlReply } from './server.js';

export interface RowColumn<T> {
  readonly title: string;
  readonly class?: 'status' | 'code' | 'result' | 'number' | 'few' | 'far' | 'wide';
  readonly isTime?: boolean;
  readonly cell: (row: T) => ComponentChildren;
}

interface RowItem {
  readonly id: string | number;
}

interface LongTableProps<T extends RowItem> {
  readonly label: string;
  readonly columns: readonly RowColumn<T>[];
  readonly rows: readonly T[];
  readonly openId: string;
  readonly onView: (first: number, last: number) => void;
}

const ROW_PX = 48;
const ROWS_BEYOND_VIEW = 10;

function LongTable<T extends RowItem>({ label, columns, rows, openId, onView }: LongTableProps<T>) {
  const box = useRef<HTMLDivElement>(null);
  const [topRow, setTopRow] = useState(0);
  const [height, setHeight] = useState(800);
  const first = Math.max(0, Math.min(topRow, rows.length) - ROWS_BEYOND_VIEW);
  const last = Math.min(rows.length, topRow + Math.ceil(height / ROW_PX) + ROWS_BEYOND_VIEW);

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => onView(first, last), [first, last, rows]);

  // New rows above the view must not move the rows in view.
  const anchor = useRef<(RowItem & { readonly at: number }) | null>(null);
  useLayoutEffect(() => {
    const [element, oldAnchor] = [box.current, anchor.current];
    if (element === null) return;
    if (oldAnchor !== null && oldAnchor.at > 0) {
      const rowShift = rows.findIndex(({ id }) => id === oldAnchor.id) - oldAnchor.at;
      if (rowShift > 0) element.scrollTop += rowShift * ROW_PX;
    }
    const at = Math.floor(element.scrollTop / ROW_PX);
    const row = rows[at];
    anchor.current = row === undefined ? null : { id: row.id, at };
  }, [rows, topRow]);

  return (
    <div
      class="rows"
      ref={box}
      tabIndex={0}
      role="region"
      aria-label={label}
      onScroll={({ currentTarget }) => setTopRow(Math.floor(currentTarget.scrollTop / ROW_PX))}
    >
      <table aria-rowcount={rows.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column) => (
              <th key={column.title} scope="col" class={column.class}>
                {column.title}{' '}
                {column.isTime === true && <span class="sub">{zoneLabel(Date.now(), zone.value)}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Space count={first} />
          {rows.slice(first, last).map((row, index) => (
            <tr
              key={row.id}
              aria-rowindex={first + index + 2}
              class={String(row.id) === openId ? 'chosen' : ''}
            >
              {columns.map((column) => (
                <td key={column.title} class={column.class}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
          <Space count={rows.length - last} />
        </tbody>
      </table>
    </div>
  );
}

/** The cell has no `colSpan`, because hidden columns would count and take width. */
function Space({ count }: { readonly count: number }) {
  if (count <= 0) return null;
  return (
    <tr class="space" aria-hidden="true">
      <td style={{ height: `${String(count * ROW_PX)}px` }} />
    </tr>
  );
}

interface ListViewProps<T extends RowItem> extends Omit<LongTableProps<T>, 'rows' | 'onView'> {
  readonly name: string;
  readonly list: {
    readonly rows: Signal<readonly T[] | null>;
    readonly reportView: LongTableProps<T>['onView'];
  };
  readonly emptyText: ComponentChildren;
  readonly detail: ComponentChildren;
  readonly children: ComponentChildren;
}

export function ListView<T extends RowItem>(props: ListViewProps<T>) {
  const { name, list, emptyText, detail, children, ...table } = props;
  const rows = list.rows.value;
  const isOpen = table.openId !== '';
  return (
    <div class={isOpen ? 'split open' : 'split'}>
      <section class="list" aria-label={name}>
        {children}
        {rows?.length === 0 ? (
          <EmptyText>{emptyText}</EmptyText>
        ) : (
          <LongTable {...table} rows={rows ?? []} onView={list.reportView} />
        )}
      </section>
      {isOpen && detail}
    </div>
  );
}

export const openItemName = signal('');

interface ItemDetailProps<T> {
  readonly label: string;
  readonly view: View;
  readonly path: ApiPath<T>;
  readonly kinds: readonly ChangeKind[];
  readonly emptyText: string;
  readonly name: (item: T) => string;
  readonly show: (item: T) => ComponentChildren;
}

export function ItemDetail<T>({ label, view, path, kinds, emptyText, name, show }: ItemDetailProps<T>) {
  const reply = useReply(path, ...kinds);
  const item = reply?.status === 200 ? (reply.json as T) : null;
  const section = useRef<HTMLElement>(null);
  const itemName = item === null ? '' : name(item);
  useEffect(() => {
    openItemName.value = itemName;
    return () => (openItemName.value = '');
  }, [itemName]);
  useLayoutEffect(() => {
    const { hash } = location;
    if (document.activeElement !== document.body && !isFocusVisible())
      section.current?.focus({ preventScroll: true });
    return () =>
      requestAnimationFrame(() => {
        const row = isFocusVisible()
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
      {item === null ? <EmptyText>{missingText(reply, emptyText)}</EmptyText> : show(item)}
    </section>
  );
}

function missingText(reply: ControlReply | null, emptyText: string): string {
  if (reply === null) return 'The page is reading it.';
  return reply.status === 404 ? `${emptyText}.` : (refusalOf(reply) ?? '');
}

function isFocusVisible(): boolean {
  const { activeElement: element, body } = document;
  return element instanceof HTMLElement && element !== body && element.offsetParent !== null;
}
