/** Operations: what waits first, then all of them, and the one that is looked at: what can happen to it, its life, its JSON. */
import { useState } from 'preact/hooks';
import { actionsFor } from './actions.js';
import { Select, Search, StatusMark, Time, Copy, Fact, StateMark, Text } from './parts.js';
import { Do, Actions } from './doing.js';
import { asWords, duration } from './format.js';
import { useList } from './live-list.js';
import { pagePath, operationPath, type Listed } from './answers.js';
import { hrefOf } from './route.js';
import { type RowColumn, RowsOrNone, Split, Closely } from './rows.js';
import { companies, rightCode, useControl, sandboxNowMs } from './server.js';
import { Life } from './life.js';

const WAITING = '&waits=true';
const FILTERS = [
  ['', 'all'],
  [WAITING, 'waiting'],
  ['&status=confirmed', 'confirmed'],
  ['&status=failed', 'failed'],
] as const;

const COLUMNS: readonly RowColumn<Listed>[] = [
  { title: 'Status', cell: ({ operation }) => <StatusMark status={operation.status} /> },
  {
    title: 'Operation',
    cell: ({ id, operation }) => (
      <a class="whole" href={hrefOf('operations', id)}>
        <span class="main">{operation.reference ?? `${id.slice(0, 8)}…`}</span>
        <span class="sub">
          {operation.type} · {asWords(operation.method)}
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
  return (
    <Split isOpen={id !== ''} label="All operations" detail={<OperationView key={id} id={id} />}>
      {id === '' && filter !== WAITING && <Waits showAll={() => setFilter(WAITING)} />}
      <div class="filters">
        <Search by="id or reference" hint="Id or reference" value={search} set={setSearch} />
        <Select isBare label="Status" value={filter} options={FILTERS} set={setFilter} />
      </div>
      <RowsOrNone
        label="Operations"
        columns={COLUMNS}
        rows={list.rows.value}
        none={
          search === '' && filter === '' ? (
            <>
              Nothing here yet. <a href={hrefOf('new')}>Make the first one</a>, or point a program at this
              server.
            </>
          ) : (
            'Nothing matches.'
          )
        }
        keyOf={(row) => row.id}
        chosen={id}
        onSeen={list.see}
      />
    </Split>
  );
}

const FIRST = 4;

/** What waits for somebody, newest first, each with what can happen to it at once. */
function Waits({ showAll }: { readonly showAll: () => void }) {
  const path = pagePath('operations', { limit: FIRST, filter: WAITING });
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
          Show all that wait
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

function OperationView({ id }: { readonly id: string }) {
  const listed = useControl(operationPath(id), 'operations', 'deliveries', 'requests');
  return (
    <Closely
      label="Operation"
      view="operations"
      data={listed}
      none="No operation has this id"
      show={(found) => <Known listed={found} />}
    />
  );
}

function Known({ listed }: { readonly listed: Listed }) {
  const { operation, company, environment } = listed;
  const actions = actionsFor(listed, { companies: companies.value, code: rightCode.value });
  return (
    <>
      <header class="title">
        <h2>
          {operation.amount} {operation.currency}
        </h2>
        <StatusMark status={operation.status} />
      </header>
      <dl class="facts">
        <Fact name="Kind">
          {operation.type}, {asWords(operation.method)}, {operation.country}
        </Fact>
        {operation.reference !== undefined && <Fact name="Reference">{operation.reference}</Fact>}
        <Fact name="Id">
          <code>{operation.id}</code> <Copy text={operation.id} label="id" />
        </Fact>
        <Fact name="Company">{environment === 'live' ? `${company}, live` : company}</Fact>
        <Fact name="Created">
          <Time iso={operation.created_at} />
        </Fact>
        {operation.failure !== null && (
          <Fact name="Failure">
            <StateMark tone="bad">
              {operation.failure.code} / {operation.failure.reason}
            </StateMark>
          </Fact>
        )}
        {listed.waits_for !== null && <Fact name="Waiting">{waitingFor(listed)}</Fact>}
      </dl>
      {actions.length > 0 && (
        <section aria-labelledby="actions">
          <h3 id="actions">What can happen now</h3>
          <Actions actions={actions} />
        </section>
      )}
      <Life listed={listed} />
      <section>
        <h3>JSON</h3>
        <Text text={JSON.stringify(operation)} label="operation as JSON" />
      </section>
    </>
  );
}

export function waitingFor({ waits_for: waits, operation }: Listed): string {
  const method = asWords(operation.method);
  const now = sandboxNowMs();
  if (waits === null) return method;
  const rest = waits.until === null || now === null ? null : duration(Date.parse(waits.until) - now);
  const isOver = waits.until !== null && now !== null && Date.parse(waits.until) < now;
  switch (waits.kind) {
    case 'code':
      return `${method} waits for its code${rest === null ? '' : isOver ? ', which has expired' : `, valid for ${rest}`}`;
    case 'payment':
      return `${method} waits for the payment${rest === null ? '' : `, for another ${rest}`}`;
    case 'bank':
      return `${method} waits for the bank${rest === null ? '' : `, which answers in ${rest}`}`;
  }
}
