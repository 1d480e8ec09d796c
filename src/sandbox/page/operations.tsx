/** Operations: what waits first, then all of them, and the one that is looked at. */
import { useState } from 'preact/hooks';
import { actionsFor } from './actions.js';
import { Do } from './doing.js';
import { words } from './format.js';
import { useList } from './live-list.js';
import { OperationView } from './operation.js';
import { Empty, StatusMark, Time } from './parts.js';
import { pageAt } from './paths.js';
import { hrefOf } from './route.js';
import { Rows, type RowColumn } from './rows.js';
import { companies, rightCode, useControl } from './server.js';
import type { Listed } from './types.js';
import { waitingFor } from './waiting.js';

const WAITING = '&waits=true';
const FILTERS = [
  ['all', ''],
  ['waiting', WAITING],
  ['confirmed', '&status=confirmed'],
  ['failed', '&status=failed'],
] as const;

const COLUMNS: readonly RowColumn<Listed>[] = [
  { title: 'Status', cell: ({ operation }) => <StatusMark status={operation.status} /> },
  {
    title: 'Operation',
    cell: ({ id, operation }) => (
      <a class="whole" href={hrefOf('operations', id)}>
        <span class="main">{operation.reference ?? `${id.slice(0, 8)}…`}</span>
        <span class="sub">
          {operation.type} · {words(operation.method)}
        </span>
      </a>
    ),
  },
  {
    title: 'Amount',
    class: 'number',
    cell: ({ operation }) => (
      <>
        {operation.amount} <span class="sub">{operation.currency}</span>
      </>
    ),
  },
  {
    title: 'Company',
    class: 'far',
    cell: ({ company, environment }) => (environment === 'live' ? `${company} (live)` : company),
  },
  { title: 'Created', class: 'wide', cell: ({ operation }) => <Time iso={operation.created_at} /> },
];

export function OperationsView({ id }: { readonly id: string }) {
  const [filter, setFilter] = useState<string>('');
  const [search, setSearch] = useState('');
  const list = useList(
    'operations',
    search === '' ? filter : `${filter}&search=${encodeURIComponent(search)}`,
  );
  const rows = list.rows.value;
  return (
    <div class={id === '' ? 'split' : 'split open'}>
      <section class="list" aria-label="All operations">
        {id === '' && filter !== WAITING && <Waits showAll={() => setFilter(WAITING)} />}
        <div class="filters">
          <input
            type="search"
            placeholder="Id or reference"
            aria-label="Search by id or reference"
            value={search}
            onInput={({ currentTarget }) => setSearch(currentTarget.value.trim())}
          />
          <select
            aria-label="Status"
            value={filter}
            onChange={({ currentTarget }) => setFilter(currentTarget.value)}
          >
            {FILTERS.map(([name, query]) => (
              <option key={name} value={query}>
                {name}
              </option>
            ))}
          </select>
        </div>
        {rows?.length === 0 ? (
          <Empty>
            {search === '' && filter === '' ? (
              <>
                Nothing here yet. <a href={hrefOf('new')}>Make the first one</a>, or point a program at this
                server.
              </>
            ) : (
              'Nothing fits.'
            )}
          </Empty>
        ) : (
          <Rows
            label="Operations"
            columns={COLUMNS}
            rows={rows ?? []}
            keyOf={(row) => row.id}
            chosen={id}
            onSeen={list.see}
          />
        )}
      </section>
      {id !== '' && <OperationView key={id} id={id} />}
    </div>
  );
}

const FIRST = 4;

/** What waits for somebody, newest first, each with what can happen to it at once. */
function Waits({ showAll }: { readonly showAll: () => void }) {
  const path = pageAt('operations', { limit: FIRST, filter: WAITING });
  const waiting = useControl(path, 'operations', 'clock');
  if (waiting === null || waiting.operations.length === 0) return null;
  return (
    <section class="awaiting" aria-labelledby="waits">
      <h2 id="waits">Waiting</h2>
      <ul>
        {waiting.operations.map((listed) => (
          <Wait key={listed.id} listed={listed} />
        ))}
      </ul>
      {waiting.next !== null && (
        <button type="button" class="more" onClick={showAll}>
          Show all that waits
        </button>
      )}
    </section>
  );
}

function Wait({ listed }: { readonly listed: Listed }) {
  const { id, operation } = listed;
  const actions = actionsFor(listed, { companies: companies.value, code: rightCode.value });
  const name = operation.reference ?? id.slice(0, 8);
  return (
    <li>
      <a href={hrefOf('operations', id)}>
        <span class="main">
          {operation.amount} {operation.currency} · {name}
        </span>
        <span class="sub">{waitingFor(listed)}</span>
      </a>
      <span class="buttons">
        {actions
          .filter(({ asked }) => asked === undefined)
          .slice(0, 3)
          .map(({ label, tone, make }) => (
            <Do key={label} label={label} tone={tone} about={name} deed={make('')} />
          ))}
      </span>
    </li>
  );
}
