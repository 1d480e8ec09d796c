/** Selects the cases of an exam by `--only` and `--skip`. Pure. */
import { Failure } from '../runtime/failure.js';

/** Makes the test for a wanted case. @param only beginnings of ids; empty for all cases @param skip beginnings of ids to leave out */
export function selectionOfCases(only: readonly string[], skip: readonly string[]) {
  const begins = (id: string, beginnings: readonly string[]): boolean =>
    beginnings.some((beginning) => id.startsWith(beginning));
  const isWanted = (id: string): boolean => (only.length === 0 || begins(id, only)) && !begins(id, skip);
  return { isWanted, leftOut: (ids: readonly string[]): string[] => ids.filter((id) => !isWanted(id)) };
}

/**
 * Refuses a beginning that no case has: with a typo, --skip would skip nothing, and --only would examine nothing.
 * @param exam its name in `svc certify list`
 * @throws Failure `usage`
 */
export function requireKnownCases(
  exam: string,
  ids: readonly string[],
  { only, skip }: { readonly only: readonly string[]; readonly skip: readonly string[] },
): void {
  for (const [flag, beginnings] of [
    ['--only', only],
    ['--skip', skip],
  ] as const) {
    const unknown = beginnings.find(
      (beginning) => beginning === '' || !ids.some((id) => id.startsWith(beginning)),
    );
    if (unknown === undefined) continue;
    throw new Failure('usage', `${flag}: no case begins with ${JSON.stringify(unknown)}. Nothing was sent.`, {
      nextCommand: `svc certify list ${exam}`,
    });
  }
}
