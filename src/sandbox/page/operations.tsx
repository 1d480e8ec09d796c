/** The view of operations: the waiting ones, the whole list, and one operation with its actions, history and JSON. */
import { useState } from 'preact/hooks';
import { actionsFor } from './actions.js';
import {
  Select,
  Search,
  StatusMark,
  Time,
  CopyableText,
  Fact,
  StateMark,
  Text,
  TextInput,
  zone,
} from './parts.js';
import { Actions } from './doing.js';
import { asWords, startOfDay } from './format.js';
import { useList } from './live-list.js';
import { operationPath, type CompanyJson, type OperationItem } from './answers.js';
import { hrefOf, setFilters, route } from './route.js';
import { type RowColumn, RowsOrEmpty, Split, ItemDetail } from './rows.js';
import { companies, rightCode, useControl, sandboxNowMs } from './server.js';
import { History } from './life.js';
import { nameOf } from './outcome.js';
import { WaitingPanel, waitText } from './waits.js';
import { Start } from './start.js';
import { METHOD_CODES } from '../../contract/operation.js';

const STATUS_OPTIONS = [
  ['', 'any status'],
  ['waiting', 'waiting'],
  ['confirmed', 'confirmed'],
  ['failed', 'failed'],
] as const;

const COLUMNS: readonly RowColumn<OperationItem>[] = [
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

/** Converts the filters of the address to query parameters of the control API. */
function filterOf(query: Readonly<Record<string, string>>): string {
  const { status = '', search = '', method = '', company = '', from = '', to = '' } = query;
  const owner = companies.value[companyAt(company)];
  const parameters = Object.entries({
    ...(status === 'waiting' ? { waits: 'true' } : { status }),
    ...{ search, method, company: owner?.name, environment: owner?.environment },
    ...{ from: startOfDay(from, zone.value), to: startOfDay(to, zone.value, 1) },
  }).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return parameters.length === 0 ? '' : `&${new URLSearchParams(parameters).toString()}`;
}

const companyText = ({ name, environment }: CompanyJson): string => `${name}, ${environment}`;
const companyAt = (text: string): number => companies.value.findIndex((one) => companyText(one) === text);

export function OperationsView({ id }: { readonly id: string }) {
  const { query } = route.value;
  const filter = filterOf(query);
  const list = useList('operations', filter);
  return (
    <Split isOpen={id !== ''} label="All operations" detail={<OperationView key={id} id={id} />}>
      {id === '' && query['status'] !== 'waiting' && (
        <WaitingPanel showAll={() => setFilters({ status: 'waiting' })} />
      )}
      <Filters />
      <RowsOrEmpty
        label="Operations"
        columns={COLUMNS}
        rows={list.rows.value}
        emptyText={filter === '' ? <Start /> : 'Nothing matches.'}
        keyOf={(row) => row.id}
        chosen={id}
        onView={list.reportView}
      />
    </Split>
  );
}

function Filters() {
  const { query } = route.value;
  const set = (name: string) => (value: string) => setFilters({ [name]: value });
  const value = (name: string): string => query[name] ?? '';
  const owners = companies.value.map(companyText);
  const more = ['method', 'company', 'from', 'to'].filter((name) => value(name) !== '').length;
  // The two calendars are slow to build, so the closed part is not rendered.
  const [isOpen, setOpen] = useState(more > 0);
  return (
    <div class="filters">
      <Search
        searchedMembers="id or reference"
        hint="Id or reference"
        value={value('search')}
        set={set('search')}
      />
      <Select isBare label="Status" value={value('status')} options={STATUS_OPTIONS} set={set('status')} />
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
  const entry = useControl(operationPath(id), 'operations', 'deliveries', 'requests');
  return (
    <ItemDetail
      label="Operation"
      view="operations"
      data={entry}
      emptyText="No operation has this id"
      name={({ operation }) => nameOf(operation)}
      show={(found) => <OperationDetail entry={found} />}
    />
  );
}

function OperationDetail({ entry }: { readonly entry: OperationItem }) {
  const { operation, company, environment } = entry;
  const facts = { companies: companies.value, code: rightCode.value, nowMs: sandboxNowMs() };
  const actions = actionsFor(entry, facts);
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
            <CopyableText text={operation.reference} label="reference" />
          </Fact>
        )}
        <Fact name="Id">
          <CopyableText text={operation.id} label="id" />
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
        {entry.waits_for !== null && <Fact name="Waiting">{waitText(entry)}</Fact>}
      </dl>
      {actions.length > 0 && (
        <section aria-labelledby="actions">
          <h3 id="actions">What can happen now</h3>
          <Actions actions={actions} />
        </section>
      )}
      <History entry={entry} />
      <section>
        <h3>JSON</h3>
        <Text text={JSON.stringify(operation)} label="operation as JSON" />
      </section>
    </>
  );
}
