/** Views of balances, events and the webhook endpoint (contract sections 2.5, 4 and 6). */
import type { DetailPair } from '../detail.js';
import type { JsonValue } from '../value.js';
import type { Reader } from '../style.js';
import { cursorNote, labelFor, listTable, money, moneyOf, textAt } from './blocks.js';
import type { Block, ListColumn } from './blocks.js';
import { renderMember } from '../time.js';
import { reasonCell } from './status.js';

const BALANCE_COLUMNS: readonly ListColumn[] = ['available', 'reserved'].map((name): ListColumn => ({
  ...{ header: labelFor(name), align: 'right', whole: true },
  content: (balance) => {
    const text = money(textAt(balance, name), textAt(balance, 'currency'));
    return name === 'available' && text.startsWith('-') ? { text, tone: 'bad' } : text;
  },
}));

export function viewBalances(balances: readonly JsonValue[]): Block[] {
  return [listTable(balances, BALANCE_COLUMNS, 'No balances.')];
}

const EVENT_COLUMNS: readonly ListColumn[] = [
  { header: 'Occurred', whole: true, content: 'occurred_at' },
  {
    ...{ header: 'Type', whole: true },
    content: (event) => {
      const type = textAt(event, 'type');
      return { text: type, mark: type.endsWith('.failed') ? 'bad' : 'good' };
    },
  },
  {
    ...{ header: 'Amount', align: 'right', whole: true },
    content: (event) => moneyOf(event, 'data'),
  },
  { header: 'Reference', below: 'together', content: 'data.reference' },
  {
    ...{ header: 'Failure', below: 'together' },
    content: (event) => {
      const failure = event.members.get('data')?.members.get('failure');
      return failure === undefined ? '' : reasonCell(textAt(failure, 'code'), textAt(failure, 'reason'));
    },
  },
  { header: 'Pending reason', below: 'together', content: 'data.pending_reason' },
  { header: 'Operation', whole: true, below: 'together', content: 'data.id', isId: true },
  { header: 'Event', whole: true, below: 'together', content: 'id', isId: true },
];

export function viewEvents(
  events: readonly JsonValue[],
  nextCursor: string,
  { zone }: Pick<Reader, 'zone'>,
): Block[] {
  const table = listTable(events, EVENT_COLUMNS, 'No events.', zone);
  return nextCursor === '' ? [table] : [table, cursorNote(nextCursor)];
}

export function viewWebhookEndpoint(endpoint: JsonValue, { zone }: Pick<Reader, 'zone'>): Block[] {
  const labels = { id: 'Id', url: 'URL', secret: 'Secret', created_at: 'Created' };
  const knownPairs = Object.entries(labels).map(([name, label]): DetailPair => ({
    label,
    value: renderMember(name, textAt(endpoint, name), zone),
    whole: true,
  }));
  const otherPairs = [...endpoint.members]
    .filter(([name]) => !Object.hasOwn(labels, name))
    .map(([name, value]): DetailPair => ({ label: name, value: renderMember(name, value.text, zone) }));
  return [
    { block: 'detail', pairs: [...knownPairs, ...otherPairs] },
    { block: 'note', text: 'The service shows the secret only this once.' },
  ];
}
