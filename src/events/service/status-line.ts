/** How a run that follows the feed stands, in one line for `systemctl status`. Pure. */
import type { Facts } from './standing.js';
import { judge, words } from './verdict.js';

export function statusLine(facts: Facts, maxLagMs: number): string {
  if (!facts.hasBegun && facts.answeredAtMs !== null)
    return 'The service answered. svc is reading the first events.';
  const { health, why } = judge(facts, maxLagMs);
  const count = `${facts.accepted.toLocaleString('en-US')} events accepted, lag ${words(facts.lagMs)}`;
  // Half of the limit is no alarm yet, and worth a look.
  const { front } = facts;
  const waits = health === 'ok' && front !== null && front.waitedMs >= 1000;
  const more = waits ? `Event ${front.id} has not been accepted for ${words(front.waitedMs)}.` : why;
  return `${health === 'ok' && !waits ? 'OK' : more.replace(/\.$/, '')}: ${count}.`;
}
