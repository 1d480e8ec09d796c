/** The house rules that look at a whole file: where it stands, what it may import, how it is named. */
import ts from 'typescript';
import { DECLARED_AT_ONCE, HANDED_OVER, MISSED_DOORS, ROOF, ROOMS } from './rooms.js';
import { importsOf, parse, type Source } from './source.js';

/** What is wrong with a file, as lines for a person: file, rule, remedy. Empty when nothing is. */
export type Rule = (source: Source) => string[];

/** Where a library may be imported. One that is not here has no owner yet: give it one. */
const OWNERS: Readonly<Record<string, readonly string[]>> = {
  '@oclif/core': [
    'src/command/',
    'commands.ts',
    'flags.ts',
    'src/main.ts',
    'src/setup/lock.ts',
    'src/sandbox/settings.ts',
  ],
  undici: ['src/client/'],
  conf: ['src/session/'],
  '@napi-rs/keyring': ['src/session/'],
  // The lock is a database too: what the operating system frees when its holder dies. Every store opens its file in one way.
  'node:sqlite': ['src/runtime/'],
  ink: ['src/payments/dialogue/'],
  '@inkjs/ui': ['src/payments/dialogue/'],
  react: ['src/payments/dialogue/'],
  chalk: ['src/output/', 'src/payments/dialogue/'],
  'csv-stringify': ['src/output/'],
  'csv-parse': ['src/sheet/', 'src/batches/file/'],
  'jq-web': ['src/output/'],
  pg: ['src/storage/'],
  yauzl: ['src/sheet/'],
  saxes: ['src/sheet/'],
  preact: ['src/sandbox/page/', 'src/reconcile/report/page/'],
  '@preact/signals': ['src/sandbox/page/'],
  yaml: ['src/setup/'],
  zod: ['src/sandbox/', 'src/setup/', 'src/contract/catalog-schema.ts'],
};

const EMPTY_WORDS = /(^|[/.-])(utils?|helpers?|common|managers?)([/.-]|$)/;
const KEBAB_CASE = /^[a-z0-9]+(-[a-z0-9]+)*((\.alone)?\.test|\.d)?\.tsx?$/;

/** A room imports only the lower rooms that its line in `ROOMS` names. */
export const rooms: Rule = (source) => {
  const from = placeOf(source.path);
  const mine = ROOMS[from];
  if (mine === undefined && !ROOF.has(from)) return [`${source.path}: src/${from} is no room: see ROOMS`];
  return outgoing(source).flatMap(({ at, target }) => {
    if (target === null) return [`${at}: it is outside src/`];
    const to = placeOf(target);
    if (to === from || mine === undefined || mine.mayImport.includes(to)) return [];
    return [`${at}: ${from} may not know ${to}`];
  });
};

/** Of another room a file imports only what that room shows. */
export const doors: Rule = (source) => {
  const from = placeOf(source.path);
  if (ROOF.has(from)) return [];
  return outgoing(source).flatMap(({ at, target }) => {
    const to = target === null ? from : placeOf(target);
    const shown = ROOMS[to]?.doors;
    if (to === from || target === null || shown === undefined || shown === 'open') return [];
    const file = target.slice(`src/${to}/`.length).replace(/\.js$/, '');
    const isDoor = shown.includes(file) || shown.includes(file.replace(/[^/]+$/, '*'));
    const isMissed = MISSED_DOORS[source.path]?.split(' ').includes(`${to}/${file}`) === true;
    return isDoor || isMissed ? [] : [`${at}: ${file} is no door of ${to}`];
  });
};

/** A door hands back values, and takes no function of work that is done later. */
export const values: Rule = (source) => {
  const shown = ROOMS[placeOf(source.path)]?.doors ?? 'open';
  const file = source.path
    .split('/')
    .slice(2)
    .join('/')
    .replace(/\.tsx?$/, '');
  if (shown === 'open' || !(shown.includes(file) || shown.includes(file.replace(/[^/]+$/, '*')))) return [];
  const functions = parse(source).statements.filter(ts.isFunctionDeclaration);
  const exported = functions.filter(({ modifiers }) =>
    modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword),
  );
  return exported
    .flatMap(({ parameters: taken }) => [...taken])
    .filter(({ type }) => type && ts.isFunctionTypeNode(type) && type.type.getText().startsWith('Promise'))
    .filter(({ name }) => !HANDED_OVER.includes(name.getText()))
    .map(({ name }) => `${source.path}: takes ${name.getText()} to be done later: hand back a value`);
};

/** The declarations of a noun load for each of its commands: a job is behind `await import`. */
export const lazy: Rule = (source) => {
  if (!source.path.endsWith('/commands.ts')) return [];
  return importsOf(source).flatMap(({ line, target, isEager }) => {
    const file = target?.replace(/\.js$/, '') ?? '';
    const isFree =
      /^src\/(command\/(command|refused-flag|line\/.+|completion\/.+)|contract\/.+|runtime\/.+)$/.test(
        file,
      ) || DECLARED_AT_ONCE.includes(file);
    const isFlags = placeOf(file) === placeOf(source.path) && file.endsWith('flags');
    return !isEager || target === undefined || isFree || isFlags
      ? []
      : [`${source.path}:${String(line)}: loads ${file} at once: import it where it runs`];
  });
};

interface Outgoing {
  /** Where it is imported, and how, for the message. */
  readonly at: string;
  /** Null outside of `src/`. */
  readonly target: string | null;
}

function outgoing(source: Source): readonly Outgoing[] {
  return importsOf(source).flatMap(({ line, specifier, target }) => {
    if (target === undefined) return [];
    const at = `${source.path}:${String(line)}: imports ${specifier}`;
    return [{ at, target: target.startsWith('src/') ? target : null }];
  });
}

/** Every library has one owner: whoever replaces it has one folder to change. */
export const owners: Rule = (source) =>
  importsOf(source).flatMap(({ line, library, specifier }) => {
    if (library === undefined) return [];
    const places = OWNERS[library];
    if (places === undefined && library.startsWith('node:')) return [];
    // Types alone.
    if (specifier === '@oclif/core/interfaces') return [];
    const at = `${source.path}:${String(line)}: imports ${library}`;
    if (places === undefined) return [`${at}, which has no owner: add it to OWNERS`];
    if (places.some((place) => source.path.startsWith(place) || source.path.endsWith(place))) return [];
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
export function placeOf(path: string): string {
  return (path.split('/')[1] ?? path).replace(/\.js$/, '.ts');
}
