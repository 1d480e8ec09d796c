/** Every member of an operation, in the order in which the service writes them (section 2.1). */
import { ECHOED, type Echoed } from './bodies.js';
import type { Operation } from './operation.js';

const MEMBERS: Readonly<Record<keyof Operation, true>> = {
  id: true,
  type: true,
  country: true,
  currency: true,
  method: true,
  amount: true,
  status: true,
  pending_reason: true,
  code_expires_at: true,
  expires_at: true,
  bank_reference: true,
  confirmed_at: true,
  failure: true,
  ...(Object.fromEntries(ECHOED.map(([name]) => [name, true])) as Record<keyof Echoed, true>),
  concept: true,
  created_by: true,
  created_at: true,
  updated_at: true,
};

export const OPERATION_MEMBERS = Object.keys(MEMBERS) as readonly (keyof Operation)[];
