/** A mutant: one mistake that a person could make in a rule that matters, and the tests that have to notice it. */

/** The language of changes is that of the programs without a rule that the simulations play. */
/** @typedef {import('./places.js').Change} Change */
/** @typedef {Change & { readonly breaks: string, readonly tests: readonly string[] }} Mutant */

/**
 * Mutants of functions of one room, which the same tests have to catch.
 * @param {string} room a folder of src/
 * @param {...string} tests below test/, without .test.ts
 * @returns {(within: Change['within'], breaks: string, ...changes: [from: string, to: string][]) => Mutant}
 *   `breaks` says what is wrong, as a reader would see it
 */
export function inRoom(room, ...tests) {
  const paths = tests.map((name) => `test/${name}${name.endsWith('.tsx') ? '' : '.test.ts'}`);
  return (within, breaks, ...changes) => ({ room, within, tests: paths, breaks, changes });
}
