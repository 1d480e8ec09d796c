/** Operations: what waits first, then all of them, and the one that is looked at: what can happen to it, its life, its JSON. */
import { useState } from 'preact/hooks';
import { actionsFor } from './actions.js';
import { Select, Search, StatusMark, Time, Copied, Fact, StateMark, Text, TextInput, zone } from './parts.js';
import { Actions } from './doing.js';
import { asWords, startOfDay } from './format.js';
import { useList } from './live-list.js';
import { operationPath, type CompanyJson, type Listed } from './answers.js';
import { hrefOf, narrow, route } from './route.js';
import { type RowColumn, RowsOrNone, Split, Closely } from './rows.js';
import { companies, rightCode, useControl, sandboxNowMs } from './server.js';
import { Life } from './life.js';
import { nameOf } from './outcome.js';
import { Waits, waitingFor } from './waits.js';
import { Start } from './start.js';
import { METHOD_CODES } from '../../contract/operation.js';

const STANDS = [
  ['', 'any status'],
  ['waiting', 'waiting'],
  ['confirmed', 'confirmed'],
  ['failed', 'failed'],
] as const;

const COLUMNS: readonly RowColumn<Listed>[] = [
  { title: 'Status', class: 'status', cell: ({ operation }) => <StatusMark status={operation.status} /> },
  {
    title: 'Operation',
    cell: ({ id, operation }) => (
      <a class="whole" href={hrefOf('operations', id)}>
        <span class="main">{operation.reference ?? `${id.slice(0, 8)}…`}</span>
        <span class="sub">
          <span class="brief">
            <StatusMark status={operation.status} /> ·{' '}
          </span>
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
  {
    ...{ title: 'Created', class: 'wide', isTime: true },
    cell: ({ operation }) => <Time iso={operation.created_at} />,
  },
];

/** What the address narrows the list down to, as the control is asked for it. */
function filterOf(query: Readonly<Record<string, string>>): string {
  const { status = '', search = '', method = '', company = '', from = '', to = '' } = query;
  const owner = companies.value[companyAt(company)];
  const asked = Object.entries({
    ...(status === 'waiting' ? { waits: 'true' } : { status }),
    ...{ search, method, company: owner?.name, environment: owner?.environment },
    ...{ from: startOfDay(from, zone.value), to: startOfDay(to, zone.value, 1) },
  }).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return asked.length === 0 ? '' : `&${new URLSearchParams(asked).toString()}`;
}

const companyText = ({ name, environment }: CompanyJson): string => `${name}, ${environment}`;
const companyAt = (text: string): number => companies.value.findIndex((one) => companyText(one) === text);

export function OperationsView({ id }: { readonly id: string }) {
  const { query } = route.value;
  const filter = filterOf(query);
  const list = useList('operations', filter);
  return (
    <Split isOpen={id !== ''} label="All operations" detail={<OperationView key={id} id={id} />}>
      {id === '' && query['status'] !== 'waiting' && <Waits showAll={() => narrow({ status: 'waiting' })} />}
      <Filters />
      <RowsOrNone
        label="Operations"
        columns={COLUMNS}
        rows={list.rows.value}
        none={filter === '' ? <Start /> : 'Nothing matches.'}
        keyOf={(row) => row.id}
        chosen={id}
        onSeen={list.see}
      />
    </Split>
  );
}

function Filters() {
  const { query } = route.value;
  const set = (name: string) => (value: string) => narrow({ [name]: value });
  const value = (name: string): string => query[name] ?? '';
  const owners = companies.value.map(companyText);
  const more = ['method', 'company', 'from', 'to'].filter((name) => value(name) !== '').length;
  // A browser takes longest for what nobody sees yet: two calendars.
  const [isOpen, setOpen] = useState(more > 0);
  return (
    <div class="filters">
      <Search by="id or reference" hint="Id or reference" value={value('search')} set={set('search')} />
      <Select isBare label="Status" value={value('status')} options={STANDS} set={set('status')} />
      <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>More filters{more > 0 && ` (${String(more)})`}</summary>
        {isOpen && (
          <div class="fields">
            <Select
              label="Method"
              value={value('method')}
              options={[['', 'any'], ...METHOD_CODES.map((name) => [name, asWords(name)] as const)]}
              set={set('method')}
            />
            <Select
              label="Company"
              value={value('company')}
              options={[['', 'any'], ...owners]}
              set={set('company')}
            />
            <TextInput label="Created from" type="date" value={value('from')} set={set('from')} />
            <TextInput label="Created to" type="date" value={value('to')} set={set('to')} />
          </div>
        )}
      </details>
    </div>
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
      name={({ operation }) => nameOf(operation)}
      show={(found) => <Known listed={found} />}
    />
  );
}

function Known({ listed }: { readonly listed: Listed }) {
  const { operation, company, environment } = listed;
  const known = { companies: companies.value, code: rightCode.value, nowMs: sandboxNowMs() };
  const actions = actionsFor(listed, known);
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
        {operation.reference !== undefined && (
          <Fact name="Reference">
            <Copied text={operation.reference} label="reference" />
          </Fact>
        )}
        <Fact name="Id">
          <Copied text={operation.id} label="id" />
        </Fact>
        <Fact name="Company">{environment === 'live' ? `${company}, live` : company}</Fact>
        <Fact name="Created">
          <Time isLabelled iso={operation.created_at} />
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
