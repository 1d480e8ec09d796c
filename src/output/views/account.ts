/** The company's own things as a person reads them: balances, events, the webhook endpoint (sections 2.5, 4 and 6). */
import type { DetailPair } from '../detail.js';
import type { Column } from '../columns.js';
import type { Cell } from '../table.js';
import type { JsonValue } from '../value.js';
import type { Reader } from '../style.js';
import { idCells } from '../short-ids.js';
import { renderMember, renderTime } from '../time.js';
import { cursorNote, money, textAt, type Block } from './blocks.js';
import { reasonCell } from './status.js';

const BALANCE_COLUMNS: readonly Column[] = [
  { header: 'Available', align: 'right', whole: true },
  { header: 'Reserved', align: 'right', whole: true },
];

/** The balance of each currency; a negative one stands out. */
export function viewBalances(balances: readonly JsonValue[]): Block[] {
  const rows = balances.map((balance) => {
    const currency = textAt(balance, 'currency');
    const available = money(textAt(balance, 'available'), currency);
    const cell: Cell = available.startsWith('-') ? { text: available, tone: 'bad' } : available;
    return [cell, money(textAt(balance, 'reserved'), currency)];
  });
  return [{ block: 'table', columns: BALANCE_COLUMNS, rows, empty: 'No balances.' }];
}

const EVENT_COLUMNS: readonly Column[] = [
  { header: 'Occurred', whole: true },
  { header: 'Type', whole: true },
  { header: 'Amount', align: 'right', whole: true },
  { header: 'Reference', below: 'together' },
  { header: 'Failure', below: 'together' },
  { header: 'Pending reason', below: 'together' },
  { header: 'Operation', whole: true, below: 'together' },
  { header: 'Event', whole: true, below: 'together' },
];

/** A page of events, and where the next begins. */
export function viewEvents(
  events: readonly JsonValue[],
  nextCursor: string,
  { zone }: Pick<Reader, 'zone'>,
): Block[] {
  const [operations, ids] = [['data', 'id'], ['id']].map((path) =>
    idCells(events.map((event) => textAt(event, ...path))),
  );
  const rows = events.map((event, at) => [...eventRow(event, zone), operations?.[at] ?? '', ids?.[at] ?? '']);
  return [
    { block: 'table', columns: EVENT_COLUMNS, rows, empty: 'No events.' },
    ...(nextCursor === '' ? [] : [cursorNote(nextCursor)]),
  ];
}

function eventRow(event: JsonValue, zone: Reader['zone']): Cell[] {
  const type = textAt(event, 'type');
  const failure = event.members.get('data')?.members.get('failure');
  return [
    renderTime(textAt(event, 'occurred_at'), zone),
    { text: type, mark: type.endsWith('.failed') ? 'bad' : 'good' },
    money(textAt(event, 'data', 'amount'), textAt(event, 'data', 'currency')),
    textAt(event, 'data', 'reference'),
    failure === undefined ? '' : reasonCell(textAt(failure, 'code'), textAt(failure, 'reason')),
    // An operation that ended waits for nothing: one that says so all the same is no news to hide.
    textAt(event, 'data', 'pending_reason'),
  ];
}

/** A registered endpoint with its secret, which the service shows this once. */
export function viewWebhookEndpoint(endpoint: JsonValue, { zone }: Pick<Reader, 'zone'>): Block[] {
  const labels = { id: 'Id', url: 'URL', secret: 'Secret', created_at: 'Created' };
  const known = Object.entries(labels).map(([name, label]): DetailPair => ({
    label,
    value: renderMember(name, textAt(endpoint, name), zone),
    whole: true,
  }));
  const others = [...endpoint.members]
    .filter(([name]) => !Object.hasOwn(labels, name))
    .map(([name, value]): DetailPair => ({ label: name, value: renderMember(name, value.text, zone) }));
  return [
    { block: 'detail', pairs: [...known, ...others] },
    { block: 'note', text: 'The service shows the secret only this once.' },
  ];
}
