/** Suggests what was meant: a command, a flag. Pure. */

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
