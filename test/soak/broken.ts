/** Programs of the soak that break a promise on purpose, and how each is written down. */
import type { Change } from '../../scripts/mutate/places.js';
import { buildProgram, type Variant } from '../support/variant.js';

/** @param within the name of a function, a method or a constant: one for all pairs, or one each */
export const breaking = (
  within: string | readonly string[],
  ...changes: readonly [from: string, to: string][]
): Change => ({
  ...{ within, changes },
});

export const variant = (name: string, ...broken: Parameters<typeof breaking>): Variant => ({
  ...{ name, ...breaking(...broken) },
});

const built = new Map<string, Promise<string>>();

/** Builds the command line with these changes, once for each name. @returns its path */
export function builtWith(name: string, changes: readonly Change[]): Promise<string> {
  const contents = "import { start } from './src/main.js'; await start({ mapStack: (stack) => stack });";
  const path = built.get(name) ?? buildProgram(name, contents, changes);
  built.set(name, path);
  return path;
}

/** The same of what all programs of a harness differ in, beside the promise that one breaks; null for none. */
export const harnessOf =
  <Broken extends string>(
    harness: string,
    always: readonly Change[],
    breaks: Readonly<Record<Broken, readonly Change[]>>,
  ) =>
  (broken: Broken | null = null): Promise<string> =>
    builtWith(`${harness}-${broken?.replaceAll(' ', '-') ?? 'whole'}`, [
      ...always,
      ...(broken === null ? [] : breaks[broken]),
    ]);
