/** The texts the service itself puts on an operation: the concept the counterparty sees, and bank references (sections 1 and 5). */
import type { Direction } from '../../contract/methods.js';

const WORDS: Readonly<Record<Direction, string>> = { payin: 'Cobro', payout: 'Pago' };

/** `<word> <three letters of the company><six characters of the id>`, the characters in capitals (section 1). */
export function concept(type: Direction, companyPrefix: string, id: string): string {
  return `${WORDS[type]} ${companyPrefix}${id.slice(0, 6).toUpperCase()}`;
}

/** A company's three letters: the first of its name, in capitals, filled up with `X`. */
export function companyPrefix(company: string): string {
  return company
    .replace(/[^A-Za-z]/g, '')
    .slice(0, 3)
    .toUpperCase()
    .padEnd(3, 'X');
}

/** The n-th bank reference, from 1: sequential eight-digit numbers (section 5). */
export function bankReference(counter: number): string {
  return counter.toString().padStart(8, '0');
}
