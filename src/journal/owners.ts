/** Who is about to let a request leave: the processes that recorded it, by which it is known whether one of them still lives. */
import type { ProcessName, Processes } from '../runtime/processes.js';

/** A process, and when it recorded the request by this machine's clock. */
interface Owner extends ProcessName {
  readonly at: number;
}

/** A process of which nobody can say whether it lives is taken for dead after that: what it recorded it has to record anew then. */
const UNSEEN_MS = 10 * 60_000;

/** With this process among them. @param owners as they are kept */
export function withOwner(owners: string, process: ProcessName, nowMs: number): string {
  const others = ownersIn(owners).filter((owner) => !isSame(owner, process));
  return JSON.stringify([...others, { ...process, at: Math.round(nowMs) }]);
}

/** Without it; null where nobody is left. */
export function withoutOwner(owners: string, process: ProcessName): string | null {
  const others = ownersIn(owners).filter((owner) => !isSame(owner, process));
  return others.length === 0 ? null : JSON.stringify(others);
}

/** True where one of them may still let it leave. */
export function isOwned(owners: string, processes: Processes, nowMs: number): boolean {
  return ownersIn(owners).some((owner) => {
    const lives = processes.lives(owner);
    // A clock that was set back says nothing either.
    return lives ?? Math.abs(nowMs - owner.at) <= UNSEEN_MS;
  });
}

function ownersIn(owners: string): Owner[] {
  return JSON.parse(owners) as Owner[];
}

function isSame(a: ProcessName, b: ProcessName): boolean {
  return a.machine === b.machine && a.bootId === b.bootId && a.pid === b.pid && a.started === b.started;
}
