import { foldReference } from '../../../../src/contract/reference.js';
import type { Direction } from '../../../../src/contract/operation.js';
import type { Account } from '../catalog.js';
import type { CompanyName, Operation } from '../service.js';

export type Belief = 'paid' | 'pending' | 'failed' | 'unknown' | 'not sent' | 'later' | null;

export interface Intent {
  readonly number: number;
  readonly company: CompanyName;
  readonly direction: Direction;
  readonly reference: string | null;
  readonly amount: number;
  readonly person: number;
  readonly isLabel: boolean;
  readonly waits: boolean;
  readonly machine: 0 | 1;
  readonly bornAtMs: number;
  account: Account;
  ownKey: 'same' | 'fresh' | null;
  belief: Belief;
  operation: string | null;
  next: string | null;
  code: string | null;
  resolves: string | null;
  named: string | null;
  insistsOver: string | null;
  isAsked: boolean;
  isUnderWay: boolean;
  nextDiffers: boolean;
  wasSent: boolean;
  isInBatch: boolean;
}

const INVISIBLE = /[\u00ad\u200b-\u200d\u2060\ufeff]/gu;

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

export function groupOfOperation({ company, direction, reference, account }: Operation): string {
  return groupOf({
    company,
    direction,
    reference: reference === '' ? null : reference,
    person: Number(account.slice(4, -6)),
  });
}
