import { transformSync } from 'esbuild';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { MUTANTS } from '../../scripts/mutate/mutants.js';
import { changed, type Change } from '../../scripts/mutate/places.js';
import { WITHOUT as WITHOUT_APPROVAL } from '../batches/simulation/approvals/rules.js';
import { WITHOUT } from '../batches/simulation/rules.js';
import { CONTROLS } from '../batches/simulation/singles/controls.js';
import * as bulk from '../soak/bulk/program.js';
import * as guard from '../soak/guard/program.js';
import * as into from '../soak/into/program.js';
import * as power from '../soak/power/program.js';
import * as requests from '../soak/requests/program.js';
import * as server from '../soak/server/program.js';
import * as state from '../soak/state/program.js';
import { ROOMS } from './rooms.js';
import { placeOf } from './rules.js';
import { ROOT, sourcesIn } from './source.js';

const SOURCES = sourcesIn('src');
const sourceAt = (place: string) => SOURCES.find(({ path }) => path === place)!;

/** A mutant that dies of an unknown name shows nothing about a rule. */
function strayNames({ path, text }: { readonly path: string; readonly text: string }): string[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const getSourceFile = (name: string) => (name === path ? file : undefined);
  const host = { ...ts.createCompilerHost({}), getSourceFile };
  const program = ts.createProgram([path], { noLib: true, noResolve: true, jsx: ts.JsxEmit.Preserve }, host);
  const stray = program.getSemanticDiagnostics(file).filter(({ code, start = 0 }) => {
    return code === 2304 || (code === 2339 && text.slice(0, start).endsWith('this.'));
  });
  const names = stray.map(({ start = 0, length = 0 }) => text.slice(start, start + length));
  return names.filter((name) => !(name in globalThis));
}
const strayNow = new Map<string, readonly string[]>();
function requireNames(broken: { readonly path: string; readonly text: string }): void {
  const now = strayNow.get(broken.path) ?? strayNames(sourceAt(broken.path));
  strayNow.set(broken.path, now);
  expect(strayNames(broken).filter((name) => !now.includes(name))).toEqual([]);
}

describe('the mutants', () => {
  const rooms = new Set<string>();
  it.each(MUTANTS.map((mutant) => [`${String(mutant.within)}: ${mutant.breaks}`, mutant] as const))(
    '%s',
    (_, mutant) => {
      const broken = changed(mutant, SOURCES);
      broken.forEach(({ path }) => rooms.add(placeOf(path)));
      for (const { path, text } of broken)
        expect(() => transformSync(text, { loader: path.endsWith('x') ? 'tsx' : 'ts' })).not.toThrow();
      broken.forEach(requireNames);
      expect(mutant.tests.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    },
  );

  it('are at least sixty, some in every room, and each another one', () => {
    expect(MUTANTS.length).toBeGreaterThanOrEqual(60);
    expect([...rooms].sort()).toEqual(Object.keys(ROOMS).sort());
    const names = MUTANTS.map(({ within, breaks }) => `${String(within)} ${breaks}`);
    expect(new Set(names).size).toBe(MUTANTS.length);
  });
});

it.each<[string, readonly Change[]]>([
  ...Object.entries(WITHOUT),
  ...Object.entries(WITHOUT_APPROVAL),
  ...CONTROLS.map(({ name, changes }): [string, readonly Change[]] => [name, changes]),
  ...[bulk, guard, into, power, requests, server, state].flatMap((programs) =>
    Object.entries<unknown>(programs).flatMap(([name, one]): [string, readonly Change[]][] =>
      typeof one === 'object' && one !== null && 'changes' in one ? [[name, [one as Change]]] : [],
    ),
  ),
  ...Object.entries(into.BROKEN_WRITERS),
  ...Object.entries(state.BROKEN_MACHINES),
])('the program without "%s" can be made', (_name, changes) => {
  const texts = new Map(SOURCES.map((source) => [source.path, source]));
  for (const change of changes) {
    for (const broken of changed(change, [...texts.values()]))
      texts.set(broken.path, { ...texts.get(broken.path)!, ...broken });
  }
  [...texts.values()].filter(({ path, text }) => text !== sourceAt(path).text).forEach(requireNames);
});

describe('what is changed', () => {
  const TEXT =
    'function one() {\n  return a < b;\n}\nclass Two {\n  #is() {\n    return a\n      < b && c;\n  }\n}\n';
  const change = (within: string, from: string) =>
    changed({ within, changes: [[from, 'd']] }, [{ path: 'src/x/a.ts', text: TEXT }]);

  it.each([
    ['in a function', 'one', 'a < b', TEXT.replace('a < b', 'd')],
    ['in a method, however its lines are broken', '#is', 'a < b', TEXT.replace('a\n      < b', 'd')],
  ])('stands %s', (_where, within, from, text) => {
    expect(change(within, from)).toEqual([{ path: 'src/x/a.ts', text }]);
  });

  it.each([
    ['in another function', 'one', 'b && c'],
    ['nowhere', '#is', 'zz'],
    ['twice', '#is', ' '],
  ])('stands %s', (_where, within, from) => expect(() => change(within, from)).toThrow(/ and not once: /));
});
