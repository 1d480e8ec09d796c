/** Reads one operation of the caller's company (section 4); the first read settles what only waited for it. */
import { isUuid } from '../../contract/ids.js';
import type { Direction } from '../../contract/methods.js';
import { recordChange } from '../engine/record.js';
import { lookup } from '../machine/passage.js';
import type { Stored } from '../store/operations.js';
import type { HttpRefusal } from './answer.js';
import { contextOf, type Call, type EndpointHandler } from './call.js';

export const readsPayin: EndpointHandler = (call) => read(call, 'payin');
export const readsPayout: EndpointHandler = (call) => read(call, 'payout');
export const readsOperation: EndpointHandler = (call) => read(call, null);

/** The operation that a path names, of that direction (null: of either); a malformed id is an id that nobody has. */
export function findOperation(call: Call, direction: Direction | null): Stored | HttpRefusal {
  const { world, company, id } = call;
  const stored = isUuid(id) ? world.store.operations.find(company, id.toLowerCase()) : undefined;
  const isWanted = direction === null || stored?.held().operation.type === direction;
  return stored !== undefined && isWanted ? stored : { refusal: 'not_found' };
}

function read(call: Call, direction: Direction | null): string | HttpRefusal {
  const stored = findOperation(call, direction);
  if ('refusal' in stored) return stored;
  const step = lookup(stored.held(), contextOf(call));
  return step === null ? stored.json : recordChange(call.world, stored, step, call.nowMs).json;
}
