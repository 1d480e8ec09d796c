import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';

export const ROOT = join(import.meta.dirname, '..', '..');

export interface Source {
  readonly path: string;
  readonly text: string;
}

export interface Import {
  readonly line: number;
  readonly specifier: string;
  readonly target: string | undefined;
  readonly library: string | undefined;
  readonly isEager: boolean;
}

export function sourcesIn(folder: string): Source[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => posix.join(folder, name))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
}

const seen = new Map<string, { readonly text: string; readonly imports: readonly Import[] }>();

export function importsOf(source: Source): readonly Import[] {
  const known = seen.get(source.path);
  if (known?.text === source.text) return known.imports;
  const imports = importsIn(source);
  seen.set(source.path, { text: source.text, imports });
  return imports;
}

function importsIn(source: Source): Import[] {
  const file = parse(source);
  const found: Import[] = [];
  const visit = (node: ts.Node): void => {
    const specifier = specifierOf(node);
    if (specifier !== undefined) {
      const line = file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
      const isOurs = specifier.startsWith('.');
      const target = isOurs ? posix.join(posix.dirname(source.path), specifier) : undefined;
      const parts = specifier.split('/').slice(0, specifier.startsWith('@') ? 2 : 1);
      const isEager =
        ts.isImportDeclaration(node) && node.importClause?.phaseModifier !== ts.SyntaxKind.TypeKeyword;
      found.push({ line, specifier, target, library: isOurs ? undefined : parts.join('/'), isEager });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

export function parse({ path, text }: Source): ts.SourceFile {
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  return ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true, kind);
}

function specifierOf(node: ts.Node): string | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return textOf(node.moduleSpecifier);
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return textOf(node.argument.literal);
  if (!ts.isCallExpression(node)) return undefined;
  const isRequire = ts.isIdentifier(node.expression) && node.expression.text === 'require';
  const isImport = node.expression.kind === ts.SyntaxKind.ImportKeyword;
  return isRequire || isImport ? textOf(node.arguments[0]) : undefined;
}

function textOf(node: ts.Node | undefined): string | undefined {
  return node !== undefined && ts.isStringLiteralLike(node) ? node.text : undefined;
}
