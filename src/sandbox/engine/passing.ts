/** Brings the sandbox up to a moment: everything that time alone changes, each at its due moment and in order (section 3). */
import { timePasses } from '../machine/passage.js';
import { recordChange } from './record.js';
import { contextAt, type World } from './world.js';

/** Windows that ended and answers of the bank that arrived by then. Within a transaction of the store. */
export function bringUpTo(world: World, nowMs: number): void {
  const { operations, companies } = world.store;
  for (let stored = operations.nextDue(nowMs); stored !== undefined; stored = operations.nextDue(nowMs)) {
    const held = stored.held();
    const dueMs = held.hidden.due_at ?? nowMs;
    const step = timePasses(held, contextAt(world, companies.environmentOf(stored.company), dueMs));
    if (step === null) throw new Error(`operation ${held.operation.id} is due and nothing happens to it`);
    recordChange(world, stored, step, dueMs);
  }
}
