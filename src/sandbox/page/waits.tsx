/** The panel of waiting operations, newest first, with actions. Rows stay in place while the pointer is over the panel or it has the focus. */
import { useRef, useState } from 'preact/hooks';
import { actionsFor, isOver } from './actions.js';
import { updateHeldRows, operationPath, pagePath, type HeldRows, type OperationItem } from './answers.js';
import { Button } from './doing.js';
import { asWords, duration } from './format.js';
import { nameOf, statusText } from './outcome.js';
import { StateMark, toneOf } from './parts.js';
import { hrefOf } from './route.js';
import { companies, rightCode, sandboxNowMs, useControl } from './server.js';

const ROWS = 4;
const FILTER = '&waits=true';

export function WaitingPanel({ showAll }: { readonly showAll: () => void }) {
  const page = useControl(pagePath('operations', { limit: ROWS, filter: FILTER }), 'operations', 'clock');
  const currentRows = page?.operations ?? [];
  const panel = useRef<HTMLElement>(null);
  const heldRows = useRef<HeldRows<OperationItem> | null>(null);
  const [, setTouched] = useState(false);
  heldRows.current &&= updateHeldRows(heldRows.current, currentRows);
  const hold = (): void => {
    heldRows.current ??= { first: currentRows.length, rows: currentRows };
    setTouched(true);
  };
  const release = (): void => {
    const element = panel.current;
    if (element === null || element.matches(':hover') || element.contains(document.activeElement)) return;
    heldRows.current = null;
    setTouched(false);
  };
  const { first, rows } = heldRows.current ?? { first: currentRows.length, rows: currentRows };
  if (rows.length === 0) return null;
  const waitingIds = new Set(currentRows.map(({ id }) => id));
  const rowOf = (entry: OperationItem) => (
    <WaitingRow key={entry.id} entry={entry} isWaiting={waitingIds.has(entry.id)} />
  );
  const newRows = rows.slice(first);
  return (
    <section
      class="awaiting"
      aria-labelledby="waits"
      ref={panel}
      tabIndex={-1}
      onPointerEnter={hold}
      onPointerLeave={release}
      onFocusIn={hold}
      onFocusOut={() => requestAnimationFrame(release)}
    >
      <h2 id="waits">Waiting</h2>
      <ul>
        {rows.slice(0, first).map(rowOf)}
        {newRows.length > 0 && (
          <li class="came" key="came">
            {newRows.length === 1 ? '1 new' : `${String(newRows.length)} new`}
          </li>
        )}
        {newRows.map(rowOf)}
      </ul>
      {(page?.next ?? null) !== null && (
        <button type="button" class="more" onClick={showAll}>
          Show all that wait
        </button>
      )}
    </section>
  );
}

/** @param isWaiting true if the operation still waits; else the row reads the operation again */
function WaitingRow({ entry, isWaiting }: { readonly entry: OperationItem; readonly isWaiting: boolean }) {
  const { id, operation } = entry;
  const readEntry = useControl(isWaiting ? null : operationPath(id), 'operations', 'clock');
  const currentEntry = readEntry ?? entry;
  const facts = { companies: companies.value, code: rightCode.value, nowMs: sandboxNowMs() };
  const actions = actionsFor(currentEntry, facts);
  const name = nameOf(operation);
  const isDone = currentEntry.waits_for === null;
  return (
    <li tabIndex={-1}>
      <a href={hrefOf('operations', id)}>
        <span class="main">
          {operation.amount} {operation.currency} · {name}
        </span>
        <span class="sub">
          {isDone ? (
            <StateMark tone={toneOf(currentEntry.operation.status)}>
              {statusText(currentEntry.operation, facts.nowMs)}
            </StateMark>
          ) : (
            waitText(currentEntry)
          )}
        </span>
      </a>
      <span class="buttons">
        {actions
          .filter(({ input, subject }) => input === undefined && subject === undefined)
          .slice(0, 3)
          .map(({ label, tone, make }) => (
            <Button key={label} label={label} tone={tone} subject={name} command={make('')} />
          ))}
      </span>
    </li>
  );
}

export function waitText(entry: OperationItem): string {
  const { waits_for: waits, operation } = entry;
  const method = asWords(operation.method);
  const now = sandboxNowMs();
  if (waits === null) return method;
  const remainingTime = waits.until === null || now === null ? null : duration(Date.parse(waits.until) - now);
  switch (waits.kind) {
    case 'code':
      return `${method} waits for its code${remainingTime === null ? '' : isOver(entry, now) ? ', which has expired' : `, valid for ${remainingTime}`}`;
    case 'payment': {
      const first = waits.paid_first ?? null;
      const older =
        first === null ? '' : `; ${first.reference ?? first.id.slice(0, 8)} is older and is paid first`;
      return `${method} waits for the payment${remainingTime === null ? '' : `, for another ${remainingTime}`}${older}`;
    }
    case 'bank':
      return `${method} waits for the bank${remainingTime === null ? '' : `, which answers in ${remainingTime}`}`;
  }
}
