import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';

/** @typedef {{ path: string, lines: number, imports: ReadonlySet<string> }} File */

/** @param {string} root @returns {File[]} */
export function filesOf(root) {
  return readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts'))
    .map((name) => posix.join('src', name))
    .sort()
    .map((path) => read(path, readFileSync(join(root, path), 'utf8')));
}

/** @param {readonly File[]} files */
export function importersOf(files) {
  const known = new Set(files.map(({ path }) => path));
  /** @type {Map<string, number>} */
  const importers = new Map();
  for (const file of files)
    for (const path of importedBy(file, known)) importers.set(path, (importers.get(path) ?? 0) + 1);
  return importers;
}

/** @param {readonly File[]} files */
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
  /** @type {Map<string, string[]>} */
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

/** @param {string} path @param {string} text @returns {File} */
function read(path, text) {
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true, kind);
  /** @type {Set<string>} */
  const imports = new Set();
  /** @param {ts.Node} node */
  const visit = (node) => {
    const specifier = specifierOf(node);
    if (specifier?.startsWith('.') === true) imports.add(posix.join(posix.dirname(path), specifier));
    ts.forEachChild(node, visit);
  };
  visit(file);
  return { path, lines: text.split('\n').length - 1, imports };
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
