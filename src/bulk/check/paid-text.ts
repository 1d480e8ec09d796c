/** How payments that stand in the way of rows read: each, and all of them together. Pure. */
import { isoSeconds } from '../../runtime/clock.js';
import { type KnownPayment, RECORDED } from './payments.js';

/** True for one that nobody can call paid yet, and that did not fail either. */
export function isPending({ operation, status }: KnownPayment): boolean {
  return operation !== null && status !== 'confirmed';
}

export function pendingText(count: number): string {
  return count === 1 ? '1 is pending' : `${count} are pending`;
}

/** A payment with all that is known of it, on one line. */
export function paymentText({
  operation,
  status,
  amount = '?',
  currency = '?',
  atMs,
  source,
}: KnownPayment): string {
  const where = whereText(source);
  if (status === 'planned' || status === RECORDED) return `about to be sent${where}`;
  const when = atMs === null ? '' : isoSeconds(atMs);
  if (operation === null) return `sent${when === '' ? '' : ` on ${when}`}${where}, outcome unknown`;
  return `${operation}, ${amount} ${currency}, ${status}${when === '' ? '' : ` ${status === 'pending' ? 'since' : 'on'} ${when}`}${where}`;
}

function whereText(source: KnownPayment['source']): string {
  switch (source.kind) {
    case 'feed':
      return '';
    case 'batch':
      return ` (batch ${source.batch}, line ${source.line})`;
    case 'request':
      return ` (request ${source.key})`;
  }
}

/** About how long ago, in one unit. */
export function agoText(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return minutes === 1 ? 'a minute ago' : `${minutes} minutes ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return hours === 1 ? 'an hour ago' : `${hours} hours ago`;
  return `${Math.floor(hours / 24)} days ago`;
}

export function rowsText(count: number): string {
  return count === 1 ? '1 row' : `${count} rows`;
}
