/** What a run may do: as often as a clean run does it, scope by scope, and once more for each that failed beyond it. Pure. */

/** How many there are in one scope, and of how many of them the command knows that nothing came of them. */
interface ScopeCount {
  readonly all: number;
  readonly over: number;
}

/** Of one run, an entry for each scope. */
export type ScopeCounts = readonly ScopeCount[];

/** @param isOver true for one of which the command knows that nothing came of it */
export function countsOf<T extends { readonly scope: string }>(
  all: readonly T[],
  isOver: (one: T) => boolean,
): ScopeCounts {
  return [...Map.groupBy(all, ({ scope }) => scope).values()].map((own) => ({
    all: own.length,
    over: own.filter(isOver).length,
  }));
}

/**
 * Whether a run stays within one of the clean runs. Scopes have no names that both runs know: each has to fit another one. Where a run
 * has more, a test was run again; where it has fewer, a test that failed left out its reset, and two of them are counted as one.
 */
export function isAsInClean(run: ScopeCounts, cleanRuns: readonly ScopeCounts[]): boolean {
  return cleanRuns.some((clean) => {
    if (run.length > clean.length) return run.every((mine) => clean.some((its) => isAtMost(mine, its)));
    if (run.length < clean.length) return isAtMost(totalOf(run), totalOf(clean));
    return isPaired(run, clean);
  });
}

/** What failed is taken off, but only beyond what fails in the clean run as well. */
function isAtMost(mine: ScopeCount, its: ScopeCount): boolean {
  return mine.all - Math.max(0, mine.over - its.over) <= its.all;
}

function totalOf(counts: ScopeCounts): ScopeCount {
  const sum = (of: (one: ScopeCount) => number): number => counts.reduce((total, one) => total + of(one), 0);
  return { all: sum(({ all }) => all), over: sum(({ over }) => over) };
}

/** Whether each of one side fits another one of the other side: a matching, by augmenting paths. */
function isPaired(run: ScopeCounts, clean: ScopeCounts): boolean {
  const holder = new Map<number, number>();
  const place = (mine: number, tried: Set<number>): boolean =>
    clean.some((its, at) => {
      if (tried.has(at) || !isAtMost(run[mine] ?? its, its)) return false;
      tried.add(at);
      const other = holder.get(at);
      if (other !== undefined && !place(other, tried)) return false;
      holder.set(at, mine);
      return true;
    });
  return run.every((_, at) => place(at, new Set()));
}
