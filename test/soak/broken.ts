/** Each variant is a program that breaks one promise on purpose. */
import type { Change } from '../../scripts/mutate/places.js';
import { buildProgram, type Variant } from '../support/variant.js';

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

export function builtWith(name: string, changes: readonly Change[]): Promise<string> {
  const contents = "import { start } from './src/main.js'; await start({ mapStack: (stack) => stack });";
  const path = built.get(name) ?? buildProgram(name, contents, changes);
  built.set(name, path);
  return path;
}

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
