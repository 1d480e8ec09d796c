/** Requests: what arrived and why it was refused, live, with filters. */
import { useState } from 'preact/hooks';
import type { Logged } from '../log/logged.js';
import { Select, Search } from './choice.js';
import { HttpStatus, Time } from './parts.js';
import { RequestView } from './request.js';
import { logged } from './request-list.js';
import { hrefOf } from './route.js';
import type { RowColumn } from './rows.js';
import { RowsOrNone, Split } from './split.js';

/** Where there is little room, what every path begins with would take the place of what tells them apart. */
function Path({ path }: { readonly path: string }) {
  const [prefix = ''] = /^\/(sandbox\/)?v2(?=\/)/.exec(path) ?? [];
  return (
    <bdi>
      <span class="prefix">{prefix}</span>
      {path.slice(prefix.length)}
    </bdi>
  );
}

const COLUMNS: readonly RowColumn<Logged>[] = [
  { title: 'Status', cell: ({ status }) => <HttpStatus status={status} /> },
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
  { title: 'Notes', class: 'far', cell: (row) => notesOf(row) },
  { title: 'Company', class: 'far', cell: ({ company }) => company },
  { title: 'Took', class: 'number wide', cell: ({ ms }) => `${ms < 10 ? ms.toFixed(1) : ms.toFixed(0)} ms` },
  { title: 'When', class: 'wide', cell: ({ at }) => <Time iso={at} /> },
];

function notesOf({ replayed, fault }: Logged): string {
  return [...(replayed ? ['replay'] : []), ...(fault === null ? [] : [`fault: ${fault}`])].join(', ');
}

const STATUSES = ['any', '2xx', '4xx', '5xx', 'cut'] as const;
const METHODS = ['any', 'GET', 'POST'] as const;

export function RequestsView({ id }: { readonly id: string }) {
  const [status, setStatus] = useState<string>('any');
  const [method, setMethod] = useState<string>('any');
  const [path, setPath] = useState('');
  const rows = logged.value;
  const fits = (row: Logged): boolean =>
    (status === 'any' ||
      (row.status === null ? status === 'cut' : `${String(row.status)[0] ?? ''}xx` === status)) &&
    (method === 'any' || row.method === method) &&
    (path === '' || `${row.path} ${row.refused ?? ''} ${row.idempotency_key ?? ''}`.includes(path));
  const shown = (rows ?? []).filter(fits);
  return (
    <Split isOpen={id !== ''} label="The log" detail={<RequestView key={id} id={id} />}>
      <div class="filters">
        <Search by="path, reason or idempotency key" hint="Path, reason or key" value={path} set={setPath} />
        <Select isBare label="Answered with" value={status} options={STATUSES} set={setStatus} />
        <Select isBare label="Method" value={method} options={METHODS} set={setMethod} />
      </div>
      <RowsOrNone
        label="Requests"
        columns={COLUMNS}
        rows={rows === null ? null : shown}
        none={rows?.length === 0 ? 'No request has arrived yet.' : 'Nothing matches.'}
        keyOf={(row) => String(row.id)}
        chosen={id}
      />
    </Split>
  );
}
