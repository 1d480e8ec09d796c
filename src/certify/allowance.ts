/** Compares the counts of a run with those of the clean runs, scope by scope. Each failure more than in a clean run allows one more item. Pure. */

interface ScopeCount {
  readonly all: number;
  /** How many of `all` made no payment, as far as the examined command knows. */
  readonly unpaid: number;
}

/** The counts of one run, an entry for each scope. */
export type ScopeCounts = readonly ScopeCount[];

/** @param isUnpaid true if the command knows that the item made no payment */
export function scopeCounts<T extends { readonly scope: string }>(
  all: readonly T[],
  isUnpaid: (one: T) => boolean,
): ScopeCounts {
  return [...Map.groupBy(all, ({ scope }) => scope).values()].map((own) => ({
    all: own.length,
    unpaid: own.filter(isUnpaid).length,
  }));
}

/**
 * True if the run stays within one of the clean runs. Scope names differ from run to run, so each scope has to fit a different clean scope.
 * A run with more scopes ran a test again. A run with fewer skipped a reset after a failed test, so only its totals are compared.
 */
export function isWithinClean(run: ScopeCounts, cleanRuns: readonly ScopeCounts[]): boolean {
  return cleanRuns.some((clean) => {
    if (run.length > clean.length) return run.every((mine) => clean.some((its) => isAtMost(mine, its)));
    if (run.length < clean.length) return isAtMost(totalOf(run), totalOf(clean));
    return isPaired(run, clean);
  });
}

/** True if the run has no more items than the clean run. Each failure beyond those of the clean run allows one more item. */
function isAtMost(mine: ScopeCount, its: ScopeCount): boolean {
  return mine.all - Math.max(0, mine.unpaid - its.unpaid) <= its.all;
}

function totalOf(counts: ScopeCounts): ScopeCount {
  const sum = (of: (one: ScopeCount) => number): number => counts.reduce((total, one) => total + of(one), 0);
  return { all: sum(({ all }) => all), unpaid: sum(({ unpaid }) => unpaid) };
}

/** True if each scope of the run fits a clean scope of its own: a bipartite matching, by augmenting paths. */
function isPaired(run: ScopeCounts, clean: ScopeCounts): boolean {
  const runScopeOf = new Map<number, number>();
  const assignScope = (mine: number, tried: Set<number>): boolean =>
    clean.some((its, at) => {
      if (tried.has(at) || !isAtMost(run[mine] ?? its, its)) return false;
      tried.add(at);
      const other = runScopeOf.get(at);
      if (other !== undefined && !assignScope(other, tried)) return false;
      runScopeOf.set(at, mine);
      return true;
    });
  return run.every((_, at) => assignScope(at, new Set()));
}
