/** The house rules that look at a whole file: where it stands, what it may import, how it is named. */
import ts from 'typescript';
import { importsOf, parse, type Source } from './source.js';

/** What is wrong with a file, as lines for a person: file, rule, remedy. Empty when nothing is. */
export type Rule = (source: Source) => string[];

/** Floors, from the ground: a file imports from floors below its own and from its own folder. */
const FLOORS: Readonly<Record<string, number>> = {
  ...{ contract: 1, runtime: 1, state: 2, sheet: 2 },
  ...{ client: 3, profile: 3, output: 3, prompt: 3, certify: 3, sandbox: 3, webhook: 3, events: 3 },
  ...{ bulk: 3, guard: 3, journal: 3, mirror: 3, reconcile: 3, schema: 3 },
  ...{ cli: 4, commands: 5, testing: 5, 'main.ts': 5 },
};

/** The floors inside `cli/`: what every command shares, from the typed line up to the create that asks by a dialogue. */
const FLOORS_OF_CLI: Readonly<Record<string, number>> = {
  ...{ line: 1, 'command.ts': 2, session: 3, printing: 3, stores: 4, guard: 4, beside: 4, call: 5 },
  ...{ webhook: 5, feed: 6, create: 7, bulk: 8, dialogue: 8, 'creation.ts': 9, completion: 9 },
  ...{ help: 9, 'report.ts': 9 },
};

/** Where a library may be imported. One that is not here has no owner yet: give it one. */
const OWNERS: Readonly<Record<string, readonly string[]>> = {
  '@oclif/core': ['src/cli/', 'src/commands/', 'src/main.ts'],
  undici: ['src/client/'],
  conf: ['src/profile/'],
  '@napi-rs/keyring': ['src/profile/'],
  // The lock is a database too: what the operating system frees when its holder dies. Every store opens its file in one way.
  'node:sqlite': ['src/runtime/'],
  ink: ['src/prompt/'],
  '@inkjs/ui': ['src/prompt/'],
  react: ['src/prompt/'],
  chalk: ['src/output/', 'src/prompt/'],
  'csv-stringify': ['src/output/'],
  'csv-parse': ['src/bulk/'],
  'jq-web': ['src/output/'],
  pg: ['src/state/'],
  yauzl: ['src/sheet/'],
  saxes: ['src/sheet/'],
  preact: ['src/sandbox/page/'],
  '@preact/signals': ['src/sandbox/page/'],
  yaml: ['src/commands/'],
  zod: ['src/'],
};

const EMPTY_WORDS = /(^|[/.-])(utils?|helpers?|common|managers?)([/.-]|$)/;
const KEBAB_CASE = /^[a-z0-9]+(-[a-z0-9]+)*((\.alone)?\.test|\.d)?\.tsx?$/;

/** Imports point down; neighbours do not know each other. */
export const floors: Rule = (source) => {
  const from = placeOf(source.path);
  // A room of its own, see docs/architecture.md: its rule comes when all files stand in their rooms.
  if (FLOORS[from] === undefined) return [];
  return importsOf(source).flatMap(({ line, specifier, target }) => {
    if (target === undefined) return [];
    const why = target.startsWith('src/') ? wrongFloor(source.path, target) : 'it is outside src/';
    return why === null ? [] : [`${source.path}:${String(line)}: imports ${specifier}: ${why}`];
  });
};

/** Why a file may not import another one; null where it may. */
function wrongFloor(path: string, target: string): string | null {
  const [from, to] = [placeOf(path), placeOf(target)];
  if (FLOORS[to] === undefined || (from === 'main.ts' && to === 'commands')) return null;
  if (from === 'cli' && to === 'cli') return wrongStep(path, target);
  return from === to ? null : wrongStairs(from, FLOORS[from], to, FLOORS[to]);
}

function wrongStep(path: string, target: string): string | null {
  const [from, to] = [stepOf(path), stepOf(target)];
  return from === to ? null : wrongStairs(from, FLOORS_OF_CLI[from], to, FLOORS_OF_CLI[to]);
}

function wrongStairs(
  from: string,
  floor: number | undefined,
  to: string,
  below: number | undefined,
): string | null {
  if (floor === undefined || below === undefined)
    return `${floor === undefined ? from : to} stands on no floor`;
  if (below < floor) return null;
  const why = below === floor ? 'neighbours do not know each other' : 'imports point down only';
  return `${from} (floor ${String(floor)}) may not know ${to} (floor ${String(below)}): ${why}`;
}

/** Every library has one owner: whoever replaces it has one folder to change. */
export const owners: Rule = (source) =>
  importsOf(source).flatMap(({ line, library }) => {
    if (library === undefined) return [];
    const places = OWNERS[library];
    if (places === undefined && library.startsWith('node:')) return [];
    const at = `${source.path}:${String(line)}: imports ${library}`;
    if (places === undefined) return [`${at}, which has no owner: add it to OWNERS`];
    if (places.some((place) => source.path.startsWith(place))) return [];
    return [`${at}, which belongs to ${places.join(', ')}`];
  });

/** kebab-case, and no name that says nothing. */
export const names: Rule = ({ path }) => {
  const file = path.slice(path.lastIndexOf('/') + 1);
  const empty = EMPTY_WORDS.exec(path)?.[2];
  return [
    ...(empty === undefined ? [] : [`${path}: "${empty}" says nothing: name it after what it is or does`]),
    ...(KEBAB_CASE.test(file) ? [] : [`${path}: file names are kebab-case`]),
  ];
};

/** A file that only passes on what others define is one more place to look. */
export const substance: Rule = (source) => {
  const statements = parse(source).statements;
  const isEmpty = statements.every(
    (node) => ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined,
  );
  return isEmpty ? [`${source.path}: defines nothing; import from where things are defined`] : [];
};

/** Node 24 before 24.7 binds no values to `?1`: "column index out of range", which reads like a damaged file. */
export const parameters: Rule = ({ path, text }) =>
  [...text.matchAll(/(?<=[\s=<>(,])\?[1-9]\d*\b/g)].map(
    ([found]) => `${path}: Node 24.0 does not know the parameter ${found}: write ? and pass the value again`,
  );

/** Tests run our code: the doubles are the sandbox and the ports. */
export const mocks: Rule = (source) => {
  if (!/\bvi\.(mock|doMock)\b/.test(source.text)) return [];
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && /^vi\.(mock|doMock)$/.test(node.expression.getText())) {
      found.push(`${source.path}: ${node.expression.getText()} replaces our own code: pass a double in`);
    }
    ts.forEachChild(node, visit);
  };
  visit(parse(source));
  return found;
};

/** `src/client/retry.ts` stands in `client`, `src/main.ts` in `main.ts`; a `.js` of an import is its `.ts`. */
function placeOf(path: string): string {
  return partOf(path, 1);
}

/** `src/command/ending.ts` stands in `call`, `src/command/command.ts` in `command.ts`. */
function stepOf(path: string): string {
  return partOf(path, 2);
}

function partOf(path: string, at: number): string {
  return (path.split('/')[at] ?? path).replace(/\.js$/, '.ts');
}
