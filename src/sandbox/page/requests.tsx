import { useState } from 'preact/hooks';
import type { LogRow, LogEntry, ExchangeSide } from '../log/logged.js';
import { Select, Search, HttpStatus, Time, CopyButton, CopyableText, EmptyText, Fact } from './parts.js';
import { Line, StateMark, Text } from './parts.js';
import { filterInput, hrefOf, route } from './route.js';
import { type RowColumn, RowsOrEmpty, Split, ItemDetail } from './rows.js';
import { repeatCall } from './actions.js';
import { curlLine, type Call } from './call.js';
import { carryOut } from './doing.js';
import { requestPath, pagePath, type ListPage } from './answers.js';
import { companies, origin, makeSerialAsk, read } from './server.js';
import { signal } from '@preact/signals';

function Path({ path }: { readonly path: string }) {
  const [prefix = ''] = /^\/(sandbox\/)?v2(?=\/)/.exec(path) ?? [];
  return (
    <bdi>
      <span class="prefix">{prefix}</span>
      {path.slice(prefix.length)}
    </bdi>
  );
}

const COLUMNS: readonly RowColumn<LogRow>[] = [
  { title: 'Status', class: 'code', cell: ({ status }) => <HttpStatus status={status} /> },
  {
    title: 'Request',
    cell: ({ id, method, path, refused }) => (
      <a class="whole" href={hrefOf('requests', id)}>
        <span class="main">
          {method} <Path path={path} />
        </span>
        {refused !== null && (
          <span class="sub" dir="auto">
            {refused}
          </span>
        )}
      </a>
    ),
  },
  {
    ...{ title: 'Notes', class: 'far' },
    cell: ({ replayed, fault }) =>
      [...(replayed ? ['replay'] : []), ...(fault === null ? [] : [`fault: ${fault}`])].join(', '),
  },
  { title: 'Company', class: 'far', cell: ({ company }) => company },
  { title: 'Took', class: 'few', cell: ({ ms }) => `${ms < 10 ? ms.toFixed(1) : ms.toFixed(0)} ms` },
  { title: 'When', class: 'wide', isTime: true, cell: ({ at }) => <Time iso={at} /> },
];

export function RequestsView({ id }: { readonly id: string }) {
  const { status = '', method = '', search = '', company = '' } = route.value.query;
  const rows = requestLog.value;
  const matches = (row: LogRow): boolean =>
    (status === '' || status === (row.status === null ? 'cut' : `${String(row.status).slice(0, 1)}xx`)) &&
    (method === '' || row.method === method) &&
    (company === '' || row.company === company) &&
    `${row.path} ${row.refused ?? ''} ${row.idempotency_key ?? ''}`.includes(search);
  const owners = [...new Set(companies.value.map(({ name }) => name))];
  const choice = (name: 'status' | 'method' | 'company', label: string, options: readonly string[]) => (
    <Select hidesLabel label={label} options={[['', `any ${name}`], ...options]} {...filterInput(name)} />
  );
  return (
    <Split
      isOpen={id !== ''}
      label="The log"
      detail={
        <ItemDetail
          key={id}
          label="Request"
          view="requests"
          path={requestPath(id)}
          kinds={[]}
          emptyText="The log no longer has a request with this number"
          name={({ method, path }) => `${method} ${path}`}
          show={(request) => <RequestDetail request={request} />}
        />
      }
    >
      <div class="filters">
        <Search members="path, reason or idempotency key" hint="Path, reason or key" />
        {choice('status', 'Answered with', ['2xx', '4xx', '5xx', 'cut'])}
        {choice('method', 'Method', ['GET', 'POST'])}
        {owners.length > 1 && choice('company', 'Company', owners)}
      </div>
      <RowsOrEmpty
        label="Requests"
        columns={COLUMNS}
        rows={rows?.filter(matches) ?? null}
        emptyText={rows?.length === 0 ? 'No request has arrived yet.' : 'Nothing matches.'}
        openId={id}
      />
    </Split>
  );
}

function RequestDetail({ request }: { readonly request: LogEntry }) {
  const { method, path, status, refused, fault, replayed, company, idempotency_key: key } = request;
  return (
    <>
      <header class="title">
        <h2>
          {method} <bdi>{path}</bdi>
        </h2>
        <HttpStatus status={status} />
      </header>
      {refused !== null && (
        <p class="reason" dir="auto">
          <strong>Refused:</strong> {refused}
        </p>
      )}
      <dl class="facts">
        <Fact name="When">
          <Time showsZone iso={request.at} />
        </Fact>
        {request.operation !== null && (
          <Fact name="Operation">
            <a href={hrefOf('operations', request.operation)}>{request.operation}</a>{' '}
            <CopyButton text={request.operation} label="operation id" />
          </Fact>
        )}
        <Fact name="Took">{request.ms.toFixed(1)} ms</Fact>
        {company !== null && <Fact name="Company">{company}</Fact>}
        {key !== null && (
          <Fact name="Idempotency key">
            <CopyableText text={key} label="idempotency key" />
            {replayed && ' (a replay)'}
          </Fact>
        )}
        {fault !== null && (
          <Fact name="Armed fault">
            <StateMark tone="bad">{fault}</StateMark>
          </Fact>
        )}
      </dl>
      <SendAgain request={request} />
      <SideView name="Request" side={request.request} />
      <SideView name="Answer" side={request.answer} />
    </>
  );
}

function SendAgain({ request }: { readonly request: LogEntry }) {
  const [newKey, setNewKey] = useState(() => crypto.randomUUID());
  const copy = repeatCall(request, companies.value);
  const newCopy = repeatCall(request, companies.value, newKey);
  if (copy === null || newCopy === null)
    return <EmptyText>This page cannot send it again: the log did not keep all of it.</EmptyText>;
  const repeat = (call: Call): void => void carryOut('Sent again', { call, words: [] });
  return (
    <div class="again">
      <button type="button" class="do" onClick={() => repeat(copy)}>
        Send again
      </button>
      <Line label="curl" text={curlLine(origin, copy)} />
      {request.idempotency_key !== null && (
        <>
          <button
            type="button"
            class="do"
            onClick={() => {
              repeat(newCopy);
              setNewKey(crypto.randomUUID());
            }}
          >
            Send again with a new key
          </button>
          <Line label="new key" text={curlLine(origin, newCopy)} />
        </>
      )}
    </div>
  );
}

export function SideView({ name, side }: { readonly name: string; readonly side: ExchangeSide | null }) {
  if (side === null) return null;
  const headers = Object.entries(side.headers);
  return (
    <section>
      <h3>{name}</h3>
      {headers.length > 0 && (
        <details>
          <summary>{headers.length} headers</summary>
          <div class="text">
            <pre tabIndex={0} role="region" aria-label={`${name} headers`}>
              {headers.map(([header, value]) => `${header}: ${value}`).join('\n')}
            </pre>
          </div>
        </details>
      )}
      {side.body === '' ? (
        <EmptyText>No body.</EmptyText>
      ) : side.encoding === 'base64' ? (
        <p>
          The body is not text. <CopyButton text={side.body} label={`${name} body as base64`} />
        </p>
      ) : (
        <Text text={side.body} label={`${name} body`} />
      )}
      {side.truncated === true && <EmptyText>The log kept only the beginning.</EmptyText>}
    </section>
  );
}

const ROWS_MAX = 1000;
const PAGE_ROWS = 200;

const requestLog = signal<readonly LogRow[] | null>(null);
const ask = makeSerialAsk<readonly LogRow[]>();

export function readRequests(): void {
  ask(
    () => readNewer(requestLog.value ?? []),
    (rows) => (requestLog.value = rows),
  );
}

async function readNewer(current: readonly LogRow[]): Promise<readonly LogRow[] | null> {
  const newerRows: LogRow[] = [];
  const lastId = current[0]?.id ?? 0;
  let before: string | number = 'newest';
  for (;;) {
    const page: ListPage<'requests'> | null = await read(pagePath('requests', { before, limit: PAGE_ROWS }));
    if (page === null) return null;
    const { requests } = page;
    if (newerRows.length === 0 && (requests[0]?.id ?? 0) < lastId) return readNewer([]);
    const newRows = requests.filter(({ id }) => id > lastId);
    newerRows.push(...newRows);
    if (page.next === null || newRows.length < requests.length || newerRows.length >= ROWS_MAX)
      return [...newerRows, ...current].slice(0, ROWS_MAX);
    before = page.next;
  }
}
