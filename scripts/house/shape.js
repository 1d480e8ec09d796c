/** The sources as numbers: files, who imports them, what they export, how many parameters a function takes. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';

/** @typedef {{ path: string, lines: number, imports: ReadonlySet<string>, exports: readonly string[], wide: readonly string[] }} File */

const PARAMETERS_MAX = 4;

/** @param {string} root the project's folder @returns {File[]} */
export function filesOf(root) {
  return readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts'))
    .map((name) => posix.join('src', name))
    .sort()
    .map((path) => read(path, readFileSync(join(root, path), 'utf8')));
}

/** How many files import each one, whether for its values or its types. @param {readonly File[]} files */
export function importersOf(files) {
  const known = new Set(files.map(({ path }) => path));
  /** @type {Map<string, number>} */
  const importers = new Map();
  for (const file of files)
    for (const path of importedBy(file, known)) importers.set(path, (importers.get(path) ?? 0) + 1);
  return importers;
}

/** Files that import one another, by whatever way round, whether for values or types. @param {readonly File[]} files */
export function circlesOf(files) {
  const known = new Set(files.map(({ path }) => path));
  const imports = new Map(files.map((file) => [file.path, importedBy(file, known)]));
  /** @param {string} from */
  const reached = (from) => {
    /** @type {Set<string>} */
    const seen = new Set();
    for (const open = [from]; open.length > 0;)
      for (const next of imports.get(open.pop() ?? '') ?? [])
        if (!seen.has(next)) {
          seen.add(next);
          open.push(next);
        }
    return seen;
  };
  const reach = new Map(files.map(({ path }) => [path, reached(path)]));
  /** @type {Map<string, string[]>} by its first file */
  const circles = new Map();
  for (const { path } of files) {
    const around = [...(reach.get(path) ?? [])].filter((other) => reach.get(other)?.has(path)).sort();
    if (around.length > 0) circles.set(around[0] ?? '', around);
  }
  return [...circles.values()];
}

/** @param {File} file @param {ReadonlySet<string>} known */
function importedBy({ imports }, known) {
  return [...imports].flatMap((target) =>
    [target.replace(/js$/, 'ts'), target.replace(/js$/, 'tsx')].filter((one) => known.has(one)),
  );
}

/** The names that more than one of these files exports, with the files. @param {readonly File[]} files */
export function sharedNames(files) {
  /** @type {Map<string, string[]>} */
  const owners = new Map();
  for (const { path, exports } of files)
    for (const name of new Set(exports)) owners.set(name, [...(owners.get(name) ?? []), path]);
  return [...owners].filter(([, paths]) => paths.length > 1).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** @param {string} path @param {string} text @returns {File} */
function read(path, text) {
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true, kind);
  /** @type {Set<string>} */
  const imports = new Set();
  /** @type {string[]} */
  const exports = [];
  /** @type {string[]} */
  const wide = [];
  /** @param {ts.Node} node */
  const visit = (node) => {
    const specifier = specifierOf(node);
    if (specifier?.startsWith('.') === true) imports.add(posix.join(posix.dirname(path), specifier));
    if (node.parent === file) exports.push(...exportedBy(node));
    if (ts.isFunctionLike(node) && 'body' in node && node.parameters.length > PARAMETERS_MAX) {
      const line = file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
      wide.push(`${path}:${String(line)}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return { path, lines: text.split('\n').length - 1, imports, exports, wide };
}

/** @param {ts.Node} node */
function specifierOf(node) {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return textOf(node.moduleSpecifier);
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return textOf(node.argument.literal);
  const isImport = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
  return isImport ? textOf(node.arguments[0]) : undefined;
}

/** @param {ts.Node | undefined} node */
function textOf(node) {
  return node !== undefined && ts.isStringLiteralLike(node) ? node.text : undefined;
}

/** The names that a statement exports where it declares them; one that is handed on is no second name. @param {ts.Node} node @returns {string[]} */
function exportedBy(node) {
  const modifiers = ts.canHaveModifiers(node) ? (ts.getModifiers(node) ?? []) : [];
  const kinds = modifiers.map(({ kind }) => kind);
  if (!kinds.includes(ts.SyntaxKind.ExportKeyword) || kinds.includes(ts.SyntaxKind.DefaultKeyword)) return [];
  if (ts.isVariableStatement(node))
    return node.declarationList.declarations.map(({ name }) => name.getText());
  const { name } = /** @type {ts.NamedDeclaration} */ (node);
  return name === undefined ? [] : [name.getText()];
}
