/** A mutant: one mistake that a person could make in a rule that matters, and the tests that have to notice it. */

/** The language of changes is that of the programs without a rule that the simulations play. */
/** @typedef {import('./places.js').Change} Change */
/** @typedef {Change & { readonly breaks: string, readonly tests: readonly string[] }} Mutant */

/**
 * Mutants of functions which the same tests have to catch.
 * @param {...string} tests below test/, without .test.ts
 * @returns {(within: Change['within'], breaks: string, ...changes: [from: string, to: string][]) => Mutant}
 *   `breaks` says what is wrong, as a reader would see it
 */
export function heldBy(...tests) {
  const paths = tests.map((name) => `test/${name}${name.endsWith('.tsx') ? '' : '.test.ts'}`);
  return (within, breaks, ...changes) => ({ within, tests: paths, breaks, changes });
}
