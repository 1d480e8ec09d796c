/** What waits for somebody, newest first, each with what can happen to it at once; it stays where it is under a pointer and while it has the focus. */
import { useRef, useState } from 'preact/hooks';
import { actionsFor, isOver } from './actions.js';
import { heldWith, operationPath, pagePath, type HeldRows, type Listed } from './answers.js';
import { Do } from './doing.js';
import { asWords, duration } from './format.js';
import { nameOf, statusText } from './outcome.js';
import { StateMark, toneOf } from './parts.js';
import { hrefOf } from './route.js';
import { companies, rightCode, sandboxNowMs, useControl } from './server.js';

const FIRST = 4;
const WAITING = '&waits=true';

export function Waits({ showAll }: { readonly showAll: () => void }) {
  const read = useControl(pagePath('operations', { limit: FIRST, filter: WAITING }), 'operations', 'clock');
  const now = read?.operations ?? [];
  const panel = useRef<HTMLElement>(null);
  const held = useRef<HeldRows<Listed> | null>(null);
  const [, setTouched] = useState(false);
  held.current &&= heldWith(held.current, now);
  const hold = (): void => {
    held.current ??= { first: now.length, rows: now };
    setTouched(true);
  };
  const release = (): void => {
    const element = panel.current;
    if (element === null || element.matches(':hover') || element.contains(document.activeElement)) return;
    held.current = null;
    setTouched(false);
  };
  const { first, rows } = held.current ?? { first: now.length, rows: now };
  if (rows.length === 0) return null;
  const waiting = new Set(now.map(({ id }) => id));
  const rowOf = (listed: Listed) => (
    <Wait key={listed.id} listed={listed} isListed={waiting.has(listed.id)} />
  );
  const came = rows.slice(first);
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
        {came.length > 0 && (
          <li class="came" key="came">
            {came.length === 1 ? '1 new' : `${String(came.length)} new`}
          </li>
        )}
        {came.map(rowOf)}
      </ul>
      {(read?.next ?? null) !== null && (
        <button type="button" class="more" onClick={showAll}>
          Show all that wait
        </button>
      )}
    </section>
  );
}

/** @param isListed whether it is among those that wait now; else how it stands is looked up */
function Wait({ listed, isListed }: { readonly listed: Listed; readonly isListed: boolean }) {
  const { id, operation } = listed;
  const read = useControl(isListed ? null : operationPath(id), 'operations', 'clock');
  const shown = read ?? listed;
  const known = { companies: companies.value, code: rightCode.value, nowMs: sandboxNowMs() };
  const actions = actionsFor(shown, known);
  const name = nameOf(operation);
  const isDone = shown.waits_for === null;
  return (
    <li tabIndex={-1}>
      <a href={hrefOf('operations', id)}>
        <span class="main">
          {operation.amount} {operation.currency} · {name}
        </span>
        <span class="sub">
          {isDone ? (
            <StateMark tone={toneOf(shown.operation.status)}>
              {statusText(shown.operation, known.nowMs)}
            </StateMark>
          ) : (
            waitingFor(shown)
          )}
        </span>
      </a>
      <span class="buttons">
        {actions
          .filter(({ asked, about }) => asked === undefined && about === undefined)
          .slice(0, 3)
          .map(({ label, tone, make }) => (
            <Do key={label} label={label} tone={tone} about={name} deed={make('')} />
          ))}
      </span>
    </li>
  );
}

export function waitingFor(listed: Listed): string {
  const { waits_for: waits, operation } = listed;
  const method = asWords(operation.method);
  const now = sandboxNowMs();
  if (waits === null) return method;
  const rest = waits.until === null || now === null ? null : duration(Date.parse(waits.until) - now);
  switch (waits.kind) {
    case 'code':
      return `${method} waits for its code${rest === null ? '' : isOver(listed, now) ? ', which has expired' : `, valid for ${rest}`}`;
    case 'payment': {
      const first = waits.paid_first ?? null;
      const older =
        first === null ? '' : `; ${first.reference ?? first.id.slice(0, 8)} is older and is paid first`;
      return `${method} waits for the payment${rest === null ? '' : `, for another ${rest}`}${older}`;
    }
    case 'bank':
      return `${method} waits for the bank${rest === null ? '' : `, which answers in ${rest}`}`;
  }
}
