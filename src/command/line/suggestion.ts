/** Suggests the command that was meant. Pure. */

/** The command nearest to what was typed, where it is near enough to be meant. */
export function suggestion(typed: string, ids: readonly string[]): string | null {
  const topics = ids.map((id) => id.split(' ')[0] ?? id);
  const ranked = [...new Set([...ids, ...topics])]
    .map((id) => ({ id, distance: distance(typed, id) }))
    .sort((a, b) => a.distance - b.distance);
  const [best] = ranked;
  return best !== undefined && best.distance <= Math.max(2, Math.floor(best.id.length / 4)) ? best.id : null;
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
