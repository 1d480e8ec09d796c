/** Suggests what was meant: a command, a flag. Pure. */

/** What people type out of habit, and the command that does it here. */
const HABITS: Readonly<Record<string, string>> = {
  login: 'profiles add',
  logout: 'profiles remove',
  auth: 'profiles add',
  whoami: 'doctor',
  config: 'profiles show',
  logs: 'events tail',
  listen: 'webhooks listen',
  trigger: 'webhooks trigger',
  'payins list': 'events list',
  'payouts list': 'events list',
  'transactions list': 'events list',
};

/** The command for a habit, and why it has another name where that surprises; null where it is none. */
export function habit(typed: string): { readonly id: string; readonly why: string } | null {
  const first = typed.split(' ')[0] ?? '';
  const known = [typed, first].find((name) => Object.hasOwn(HABITS, name));
  const id = known === undefined ? undefined : HABITS[known];
  if (id === undefined) return null;
  const why = id === 'events list' ? ' The service lists no operations: its events tell of each.' : '';
  return { id, why };
}

/** The command nearest to what was typed, where it is near enough to be meant. */
export function suggestion(typed: string, ids: readonly string[]): string | null {
  const topics = ids.map((id) => id.split(' ')[0] ?? id);
  return nearest(typed, [...new Set([...ids, ...topics])]);
}

/** The only one that goes on where the typed text ends, else the one with the fewest letters wrong where those are few. */
export function nearest(typed: string, candidates: readonly string[]): string | null {
  const longer = candidates.filter((candidate) => candidate.startsWith(typed));
  if (longer.length === 1) return longer[0] ?? null;
  const ranked = candidates
    .map((text) => ({ text, distance: distance(typed, text) }))
    .sort((a, b) => a.distance - b.distance);
  const [best] = ranked;
  const isNear = best !== undefined && best.distance <= Math.max(2, Math.floor(best.text.length / 4));
  return isNear ? best.text : null;
}

/** Edit distance (Levenshtein) between two short texts. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, left] of Array.from(a).entries()) {
    const next = [i + 1];
    for (const [j, right] of Array.from(b).entries()) {
      next.push(
        Math.min((row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1, (row[j] ?? 0) + (left === right ? 0 : 1)),
      );
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
