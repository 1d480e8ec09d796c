/** A mutant: one mistake that a person could make in a rule that matters, and the tests that have to notice it. */

/** The language of changes is that of the programs without a rule that the simulations play: test/support/variant.ts. */
/** @typedef {import('../../test/support/variant.js').Change} Change */
/** @typedef {Change & { readonly breaks: string, readonly tests: readonly string[] }} Mutant */

/**
 * Mutants of one file, which the same tests have to catch.
 * @param {string} file
 * @param {...string} tests below test/, without .test.ts
 * @returns {(breaks: string, ...changes: [from: string, to: string][]) => Mutant} `breaks` says what is wrong, as a reader would see it
 */
export function inFile(file, ...tests) {
  const paths = tests.map((name) => `test/${name}${name.endsWith('.tsx') ? '' : '.test.ts'}`);
  return (breaks, ...changes) => ({ file: `src/${file}`, tests: paths, breaks, changes });
}

/** The folder of src/ that a mutant is in. @param {Change} mutant */
export function roomOf({ file }) {
  return file.split('/')[1] ?? '';
}

/** The text with the mutant's changes in it; null where what it changes does not stand there once. @param {string} text @param {Change} mutant */
export function mutated(text, { changes }) {
  let after = text;
  for (const [from, to] of changes) {
    if (after.split(from).length !== 2) return null;
    after = after.replace(from, () => to);
  }
  return after;
}
