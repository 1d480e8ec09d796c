/** The house rules that look at a whole file: where it stands, what it may import, how it is named, how long it is. */
import ts from 'typescript';
import { importsOf, parse, type Source } from './source.js';

/** What is wrong with a file, as lines for a person: file, rule, remedy. Empty when nothing is. */
export type Rule = (source: Source) => string[];

/** Floors, from the ground: a file imports from floors below its own and from its own folder. */
const FLOORS: Readonly<Record<string, number>> = {
  contract: 1,
  runtime: 1,
  client: 2,
  profile: 2,
  output: 2,
  prompt: 2,
  sandbox: 2,
  webhook: 2,
  events: 2,
  bulk: 2,
  journal: 2,
  mirror: 2,
  command: 3,
  commands: 4,
  'main.ts': 4,
};

/** Where a library may be imported. One that is not here has no owner yet: give it one. */
const OWNERS: Readonly<Record<string, readonly string[]>> = {
  '@oclif/core': ['src/command/', 'src/commands/', 'src/main.ts'],
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
  zod: ['src/'],
};

const MAX_LINES = 200;
const EMPTY_WORDS = /(^|[/.-])(utils?|helpers?|common|managers?)([/.-]|$)/;
const KEBAB_CASE = /^[a-z0-9]+(-[a-z0-9]+)*(\.test|\.d)?\.tsx?$/;

/** Imports point down; neighbours do not know each other; commands never import commands. */
export const floors: Rule = (source) => {
  const from = placeOf(source.path);
  const floor = FLOORS[from];
  if (floor === undefined) return [`${source.path}: src/${from} stands on no floor: add it to FLOORS`];
  return importsOf(source).flatMap(({ line, specifier, target }) => {
    if (target === undefined) return [];
    const to = placeOf(target);
    const at = `${source.path}:${String(line)}: imports ${specifier}`;
    if (!target.startsWith('src/')) return [`${at}, which is outside src/`];
    if (to === from && (from !== 'commands' || /commands\/(all|registry)\.ts$/.test(source.path))) return [];
    if (to === from) return [`${at}: commands never import commands; what they share belongs to src/command`];
    const below = FLOORS[to];
    if (below === undefined) return [`${at}: src/${to} stands on no floor`];
    if (below < floor || (from === 'main.ts' && to === 'commands')) return [];
    const why = below === floor ? 'neighbours do not know each other' : 'imports point down only';
    return [`${at}: ${from} (floor ${String(floor)}) may not know ${to} (floor ${String(below)}): ${why}`];
  });
};

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

/** Short enough to be read at once. */
export const sizes: Rule = ({ path, text }) => {
  const lines = text.trimEnd().split('\n').length;
  return lines > MAX_LINES ? [`${path}: ${String(lines)} lines, at most ${String(MAX_LINES)}: split it`] : [];
};

/** One sentence first: what this file is responsible for. */
export const headers: Rule = ({ path, text }) =>
  /^(#!.*\n)?\/\*\*[^]*?\w[^]*?\*\//.test(text)
    ? []
    : [`${path}: begins with no comment that says what it is for`];

/** A file that only passes on what others define is one more place to look. */
export const substance: Rule = (source) => {
  const statements = parse(source).statements;
  const isEmpty = statements.every(
    (node) => ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined,
  );
  return isEmpty ? [`${source.path}: defines nothing; import from where things are defined`] : [];
};

/** Tests run our code: the doubles are the sandbox and the ports. */
export const mocks: Rule = (source) => {
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
  return (path.split('/')[1] ?? path).replace(/\.js$/, '.ts');
}
