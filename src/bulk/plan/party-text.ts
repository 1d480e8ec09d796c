/** The counterparty of a row as a text that is the same for the same values in whatever order. Pure. */
import type { Direction } from '../../contract/methods.js';

type Members = Readonly<Record<string, unknown>>;

/** Country, method and everything that says whose money it is. */
export function partyText(body: Members, direction: Direction): string {
  const party = textOf(body[direction === 'payin' ? 'payer' : 'beneficiary']);
  return JSON.stringify([String(body['country']).toUpperCase(), body['method'], party]);
}

function textOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, inner]) => `${JSON.stringify(name)}:${textOf(inner)}`);
  return `{${members.sort().join(',')}}`;
}
