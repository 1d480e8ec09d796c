import { useState } from 'preact/hooks';
import { statusRange, type LogRow, type LogEntry, type ExchangeSide } from '../log/logged.js';
import { Chips, CompanyFilter, CopyableFact, CopyButton, EmptyText, Fact, FaultName } from './parts.js';
import { FilterSelect, HttpStatus, Line, Search, StateMark, Text, Time } from './parts.js';
import { hrefOf, route } from './route.js';
import { type RowColumn, ItemDetail, ListView } from './rows.js';
import { repeatCall } from './actions.js';
import { curlLine, type Call } from './call.js';
import { carryOut } from './doing.js';
import { requestPath } from './answers.js';
import { readFilters, filterText, isOneOf } from './filters.js';
import { useList } from './live-list.js';
import { companies, origin } from './server.js';

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
    cell: ({ id, at, method, path, refused, fault }) => (
      <a class="whole" href={hrefOf('requests', id)}>
        <span class="main">
          {method} <Path path={path} />
        </span>
        <span class="sub" dir="auto">
          <span class="brief">
            <Time iso={at} />{' '}
          </span>
          <FaultName fault={fault} /> {refused}
        </span>
      </a>
    ),
  },
  { title: 'Notes', class: 'far', cell: ({ replayed }) => (replayed ? 'replay' : '') },
  { title: 'Company', class: 'far', cell: ({ company }) => company },
  { title: 'Took', class: 'few', cell: ({ ms }) => `${ms < 10 ? ms.toFixed(1) : ms.toFixed(0)} ms` },
  { title: 'When', class: 'wide', isTime: true, cell: ({ at }) => <Time iso={at} /> },
];

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];
const STATUS_GROUPS = ['2xx', '3xx', '4xx', '5xx', 'cut'];
const seenStatuses = new Set<string>();

function statusOptions(status: string): readonly string[] {
  const statuses = [...seenStatuses, ...(/^[1-5][0-9]{2}$/.test(status) ? [status] : [])];
  const rank = (text: string): string => text.replace('xx', '');
  return [...new Set([...STATUS_GROUPS, ...statuses])].sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

export function RequestsView({ id }: { readonly id: string }) {
  const { status = '' } = route.value.query;
  const { chips, query } = readFilters(
    { status: (text) => statusRange(text) !== undefined, method: isOneOf(METHODS) },
    { path: true, operation: true, method: (text) => METHODS.includes(text.toUpperCase()) },
  );
  const filter = filterText(query);
  const list = useList('requests', filter);
  list.rows.value?.forEach((row) => row.status !== null && seenStatuses.add(String(row.status)));
  return (
    <ListView
      name="The log"
      label="Requests"
      columns={COLUMNS}
      list={list}
      openId={id}
      emptyText={filter === '' ? 'No request has arrived yet.' : 'Nothing matches.'}
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
        <Search what="path, reason or idempotency key" hint="Path, reason or key" />
        <FilterSelect name="status" label="Answered with" options={statusOptions(status)} />
        <FilterSelect name="method" label="Method" options={METHODS} />
        <CompanyFilter />
        <Chips filters={chips} />
      </div>
    </ListView>
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
          <CopyableFact name="Idempotency key" text={key} label="idempotency key">
            {replayed && ' (a replay)'}
          </CopyableFact>
        )}
        {fault !== null && (
          <Fact name="Armed fault">
            <StateMark tone="bad">{fault}</StateMark>
          </Fact>
        )}
      </dl>
      <SendAgainButtons request={request} />
      <SideView name="Request" side={request.request} />
      <SideView name="Answer" side={request.answer} />
    </>
  );
}

function SendAgainButtons({ request }: { readonly request: LogEntry }) {
  const [newKey, setNewKey] = useState(() => crypto.randomUUID());
  const copy = repeatCall(request, companies.value);
  const newKeyCopy = repeatCall(request, companies.value, newKey);
  if (copy === null || newKeyCopy === null)
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
              repeat(newKeyCopy);
              setNewKey(crypto.randomUUID());
            }}
          >
            Send again with a new key
          </button>
          <Line label="new key" text={curlLine(origin, newKeyCopy)} />
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
