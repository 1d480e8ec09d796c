/** A payment that somebody means, and what that person believes of it. */
import { foldReference } from '../../../../src/contract/reference.js';
import type { Direction } from '../../../../src/contract/operation.js';
import type { Account } from '../catalog.js';
import type { CompanyName, Operation } from '../service.js';

/** `later`: what is known is too little for now. */
export type Belief = 'paid' | 'pending' | 'failed' | 'unknown' | 'not sent' | 'later' | null;

export interface Intent {
  readonly number: number;
  readonly company: CompanyName;
  readonly direction: Direction;
  readonly reference: string | null;
  readonly amount: number;
  /** Whose account: that of this intent unless it is one of several payments to one person. */
  readonly person: number;
  /** Several payments have this reference, on purpose. */
  readonly isLabel: boolean;
  readonly waits: boolean;
  readonly machine: 0 | 1;
  readonly bornAtMs: number;
  account: Account;
  /** A key of the person's own: the same each time, another each time, or none. */
  ownKey: 'same' | 'fresh' | null;
  belief: Belief;
  operation: string | null;
  /** The printed line, and the code that it came with. */
  next: string | null;
  code: string | null;
  /** The line that records what became of a request that nobody can repeat. */
  resolves: string | null;
  /** What stands in the way, by its id or key, as it was named. */
  named: string | null;
  /** Said with `--new-payment`. */
  insistsOver: string | null;
  /** The person has been told of another payment of this reference, and means one more. */
  isAsked: boolean;
  /** Another command may be sending it at this moment. */
  isUnderWay: boolean;
  /** The printed line is about what differs from this payment. */
  nextDiffers: boolean;
  wasSent: boolean;
  isInBatch: boolean;
}

const INVISIBLE = /[\u00ad\u200b-\u200d\u2060\ufeff]/gu;

/** Intents of one name mean payments that nothing but their number tells apart. */
export function groupOf({
  company,
  direction,
  reference,
  person,
}: Pick<Intent, 'company' | 'direction' | 'reference' | 'person'>): string {
  const name =
    reference === null ? `account ${String(person)}` : foldReference(reference.replace(INVISIBLE, ''));
  return `${company} ${direction} ${name}`;
}

/** The same of an operation. */
export function groupOfOperation({ company, direction, reference, account }: Operation): string {
  return groupOf({
    company,
    direction,
    reference: reference === '' ? null : reference,
    person: Number(account.slice(4, -6)),
  });
}
