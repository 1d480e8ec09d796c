import { useRef, useState } from 'preact/hooks';
import { groupDigits } from '../../contract/on-screen.js';
import { METHOD_CODES } from '../../contract/operation.js';
import { actionsFor, isOver, type PageAction } from './actions.js';
import { Chips, CopyableFact, Fact, FilterSelect, Search, Select, StateMark, StatusMark } from './parts.js';
import { Text, TextInput, Time, toneOf, zone } from './parts.js';
import { ActionBar, Button } from './doing.js';
import { asWords, durationText, nameOf, startOfDay, statusText } from './format.js';
import { readFilters, filterText, isOneOf, type Filters } from './filters.js';
import { useList } from './live-list.js';
import { companyText, operationPath, pagePath, updateHeldRows } from './answers.js';
import type { HeldRows, OperationCount, OperationItem } from './answers.js';
import { filterInput, hrefOf, setFilters, route } from './route.js';
import { type RowColumn, ItemDetail, ListView } from './rows.js';
import { companies, rightCode, sandboxNowMs, useControl } from './server.js';
import { History } from './life.js';
import { StartHelp } from './start.js';

const STATUSES: readonly string[] = ['pending', 'confirmed', 'failed'];

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
        {groupDigits(operation.amount)} <span class="sub">{operation.currency}</span>
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

const isDay = (text: string): boolean => startOfDay(text, 'UTC') !== null;

function readOperationFilters() {
  const { chips, query } = readFilters({
    ...{ status: isOneOf(STATUSES), method: isOneOf(METHOD_CODES), from: isDay, to: isDay },
  });
  const { from = '', to = '' } = route.value.query;
  const times = { from: startOfDay(from, zone.value), to: startOfDay(to, zone.value, 1) };
  return { chips, filter: filterText(query === null ? null : { ...query, ...times }) };
}

export function OperationsView({ id }: { readonly id: string }) {
  const { chips, filter } = readOperationFilters();
  const list = useList('operations', filter);
  return (
    <ListView
      name="All operations"
      label="Operations"
      columns={COLUMNS}
      list={list}
      openId={id}
      emptyText={filter === '' ? <StartHelp /> : 'Nothing matches.'}
      detail={
        <ItemDetail
          key={id}
          label="Operation"
          view="operations"
          path={operationPath(id)}
          kinds={['operations', 'deliveries', 'requests']}
          emptyText="No operation has this id"
          name={({ operation }) => nameOf(operation)}
          show={(entry) => <OperationDetail entry={entry} />}
        />
      }
    >
      {id === '' && route.value.query['status'] !== 'pending' && <WaitingPanel />}
      <FilterBar chips={chips} />
    </ListView>
  );
}

function WaitingPanel() {
  const path = pagePath('operations', { limit: 4 }, 'waits=true&counts=true');
  const page = useControl(path, 'operations', 'clock');
  const currentRows = page?.operations ?? [];
  const panel = useRef<HTMLElement>(null);
  const heldRows = useRef<HeldRows<OperationItem> | null>(null);
  const [, setHeld] = useState(false);
  heldRows.current &&= updateHeldRows(heldRows.current, currentRows);
  const hold = (): void => {
    heldRows.current ??= { oldCount: currentRows.length, rows: currentRows };
    setHeld(true);
  };
  const release = (): void => {
    const element = panel.current;
    if (element === null || element.matches(':hover') || element.contains(document.activeElement)) return;
    heldRows.current = null;
    setHeld(false);
  };
  const { oldCount, rows } = heldRows.current ?? { oldCount: currentRows.length, rows: currentRows };
  if (rows.length === 0) return null;
  const waitingIds = new Set(currentRows.map(({ id }) => id));
  const rowOf = (entry: OperationItem) => (
    <WaitingRow key={entry.id} entry={entry} isWaiting={waitingIds.has(entry.id)} />
  );
  const newRows = rows.slice(oldCount);
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
      <h2 id="waits">
        Waiting <span class="sub">{countsText(page?.counts ?? [])}</span>
      </h2>
      <ul>
        {rows.slice(0, oldCount).map(rowOf)}
        {newRows.length > 0 && (
          <li class="came" key="came">
            {newRows.length} new
          </li>
        )}
        {newRows.map(rowOf)}
      </ul>
      {(page?.next ?? null) !== null && (
        <button type="button" class="more" onClick={() => setFilters({ status: 'pending' })}>
          Show all that wait
        </button>
      )}
    </section>
  );
}

function WaitingRow({ entry, isWaiting }: { readonly entry: OperationItem; readonly isWaiting: boolean }) {
  const { id, operation } = entry;
  const freshEntry = useControl(isWaiting ? null : operationPath(id), 'operations', 'clock');
  const currentEntry = freshEntry ?? entry;
  const name = nameOf(operation);
  return (
    <li tabIndex={-1}>
      <a href={hrefOf('operations', id)}>
        <span class="main">
          {groupDigits(operation.amount)} {operation.currency} · {name}
          {companies.value.length > 1 && ` · ${companyText({ ...entry, name: entry.company })}`}
        </span>
        <span class="sub">
          {currentEntry.waits_for === null ? (
            <StateMark tone={toneOf(currentEntry.operation.status)}>
              {statusText(currentEntry.operation, sandboxNowMs())}
            </StateMark>
          ) : (
            waitText(currentEntry)
          )}
        </span>
      </a>
      <span class="buttons">
        {actionsNow(currentEntry)
          .filter(({ input, subject }) => input === undefined && subject === undefined)
          .slice(0, 3)
          .map(({ label, tone, make }) => (
            <Button key={label} label={label} tone={tone} subject={name} command={make('')} />
          ))}
      </span>
    </li>
  );
}

function countsText(counts: readonly OperationCount[]): string {
  const [first, ...others] = counts;
  const number = (count: number): string => groupDigits(String(count));
  if (first === undefined) return '';
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  const ofCompany = (one: OperationCount): string =>
    `${number(one.count)} of ${companyText({ ...one, name: one.company })}`;
  return others.length === 0 ? number(total) : `${number(total)}: ${counts.map(ofCompany).join('; ')}`;
}

function waitText(entry: OperationItem): string {
  const { waits_for: waits, operation } = entry;
  const method = asWords(operation.method);
  const now = sandboxNowMs();
  if (waits === null) return method;
  const remainingTime =
    waits.until === null || now === null ? null : durationText(Date.parse(waits.until) - now);
  switch (waits.kind) {
    case 'code':
      return `${method} waits for its code${remainingTime === null ? '' : isOver(entry, now) ? ', which has expired' : `, valid for ${remainingTime}`}`;
    case 'payment': {
      const olderPayin = waits.paid_first ?? null;
      const olderText = olderPayin === null ? '' : `; ${nameOf(olderPayin)} is older and is paid first`;
      return `${method} waits for the payment${remainingTime === null ? '' : `, for another ${remainingTime}`}${olderText}`;
    }
    case 'bank':
      return `${method} waits for the bank${remainingTime === null ? '' : `, which answers in ${remainingTime}`}`;
  }
}

const actionsNow = (entry: OperationItem): PageAction[] =>
  actionsFor(entry, { companies: companies.value, code: rightCode.value, nowMs: sandboxNowMs() });

function FilterBar({ chips }: { readonly chips: Filters }) {
  const { query } = route.value;
  const companyTexts = companies.value.map(companyText);
  const moreCount = ['method', 'company', 'from', 'to'].filter((name) => (query[name] ?? '') !== '').length;
  const [isOpen, setOpen] = useState(moreCount > 0);
  return (
    <div class="filters">
      <Search what="id or reference" hint="Id or reference" />
      <FilterSelect name="status" label="Status" options={STATUSES} />
      <Chips filters={chips} />
      <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>More filters{moreCount > 0 && ` (${String(moreCount)})`}</summary>
        {isOpen && (
          <div class="fields">
            <Select
              label="Method"
              options={[['', 'any'], ...METHOD_CODES.map((name) => [name, asWords(name)] as const)]}
              {...filterInput('method')}
            />
            <Select label="Company" options={[['', 'any'], ...companyTexts]} {...filterInput('company')} />
            <TextInput label="Created from" type="date" {...filterInput('from')} />
            <TextInput label="Created to" type="date" {...filterInput('to')} />
          </div>
        )}
      </details>
    </div>
  );
}

function OperationDetail({ entry }: { readonly entry: OperationItem }) {
  const { operation, company, environment } = entry;
  const actions = actionsNow(entry);
  return (
    <>
      <header class="title">
        <h2>
          {groupDigits(operation.amount)} {operation.currency}
        </h2>
        <StatusMark status={operation.status} />
      </header>
      <dl class="facts">
        <Fact name="Kind">
          {operation.type}, {asWords(operation.method)}, {operation.country}
        </Fact>
        {operation.reference !== undefined && (
          <CopyableFact name="Reference" text={operation.reference} label="reference" />
        )}
        <CopyableFact name="Id" text={operation.id} label="id" />
        <Fact name="Company">{environment === 'live' ? `${company}, live` : company}</Fact>
        <Fact name="Created">
          <Time showsZone iso={operation.created_at} />
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
          <ActionBar actions={actions} />
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
