/** A mutant is one mistake in a rule that matters, and the tests that must notice the mistake. */

/** @typedef {import('./places.js').Change} Change */
/** @typedef {Change & { readonly breaks: string, readonly tests: readonly string[] }} Mutant */

/**
 * @param {...string} tests
 * @returns {(within: Change['within'], breaks: string, ...changes: [from: string, to: string][]) => Mutant}
 */
export function heldBy(...tests) {
  const paths = tests.map((name) => `test/${name}${name.endsWith('.tsx') ? '' : '.test.ts'}`);
  return (within, breaks, ...changes) => ({ within, tests: paths, breaks, changes });
}
