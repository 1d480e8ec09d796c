import ts from 'typescript';
import { DECLARED_AT_ONCE, HANDED_OVER, MISSED_DOORS, ROOF, ROOMS } from './rooms.js';
import { importsOf, parse, type Source } from './source.js';

export type Rule = (source: Source) => string[];

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
  // The lock is a database too, because the operating system frees its lock when the process dies.
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
  readonly at: string;
  readonly target: string | null;
}

function outgoing(source: Source): readonly Outgoing[] {
  return importsOf(source).flatMap(({ line, specifier, target }) => {
    if (target === undefined) return [];
    const at = `${source.path}:${String(line)}: imports ${specifier}`;
    return [{ at, target: target.startsWith('src/') ? target : null }];
  });
}

export const owners: Rule = (source) =>
  importsOf(source).flatMap(({ line, library, specifier }) => {
    if (library === undefined) return [];
    const places = OWNERS[library];
    if (places === undefined && library.startsWith('node:')) return [];
    if (specifier === '@oclif/core/interfaces') return [];
    const at = `${source.path}:${String(line)}: imports ${library}`;
    if (places === undefined) return [`${at}, which has no owner: add it to OWNERS`];
    if (places.some((place) => source.path.startsWith(place) || source.path.endsWith(place))) return [];
    return [`${at}, which belongs to ${places.join(', ')}`];
  });

export const names: Rule = ({ path }) => {
  const file = path.slice(path.lastIndexOf('/') + 1);
  const empty = EMPTY_WORDS.exec(path)?.[2];
  return [
    ...(empty === undefined ? [] : [`${path}: "${empty}" says nothing: name it after what it is or does`]),
    ...(KEBAB_CASE.test(file) ? [] : [`${path}: file names are kebab-case`]),
  ];
};

export const substance: Rule = (source) => {
  const statements = parse(source).statements;
  const isEmpty = statements.every(
    (node) => ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined,
  );
  return isEmpty ? [`${source.path}: defines nothing; import from where things are defined`] : [];
};

/** Node 24 before 24.7 binds no values to `?1`. Its error, "column index out of range", looks like a damaged file. */
export const parameters: Rule = ({ path, text }) =>
  [...text.matchAll(/(?<=[\s=<>(,])\?[1-9]\d*\b/g)].map(
    ([found]) => `${path}: Node 24.0 does not know the parameter ${found}: write ? and pass the value again`,
  );

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

export function placeOf(path: string): string {
  return (path.split('/')[1] ?? path).replace(/\.js$/, '.ts');
}
