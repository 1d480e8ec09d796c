import ts from 'typescript';
import type { Rule } from './rules.js';
import { parse } from './source.js';

const ALONE = /\.alone\.test\.tsx?$/;
const SETUPS = new Set(['test/support/guard.ts', 'test/support/scratch.ts', 'test/support/first-tier.ts']);
const PATCHING = new Set(['nock']);
const CALLS = [
  /^process\.(on|once|off|add|prepend|remove|set|chdir|umask|exit|abort|disconnect|load)\w*$/,
  /^vi\.(mock|doMock|unmock|stub|unstub|spyOn|useFakeTimers|setSystemTime|resetModules|setConfig)\w*$/,
  /^(Object|Reflect)\.(assign|define\w+|set\w*|deleteProperty)\((process|globalThis|global)\b/,
  /(^|\.)(setGlobal\w+|setDefault\w+|syncBuiltinESMExports|setFlagsFromString|enableCompileCache|registerHooks)$/,
];
const OWNERS = new Set(['process', 'globalThis', 'global', 'console']);

export const sharing: Rule = (source) => {
  if (ALONE.test(source.path) || SETUPS.has(source.path)) return [];
  const file = parse(source);
  const owners = new Set([...OWNERS, ...importedBy(file)]);
  const found: (readonly [number, string])[] = [];
  const visit = (node: ts.Node): void => {
    const what = touchedBy(node, owners);
    if (what !== null) found.push([file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1, what]);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found.map(
    ([line, what]) =>
      `${source.path}:${String(line)}: ${what} changes the process that test files share: name the file *.alone.test.ts`,
  );
};

function touchedBy(node: ts.Node, owners: ReadonlySet<string>): string | null {
  if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier))
    return PATCHING.has(node.moduleSpecifier.text) ? `import of ${node.moduleSpecifier.text}` : null;
  if (ts.isCallExpression(node)) {
    const callee = node.expression.getText();
    const whole = `${callee}(${node.arguments[0]?.getText() ?? ''}`;
    return CALLS.some((pattern) => pattern.test(callee) || pattern.test(whole)) ? callee : null;
  }
  const target = changedBy(node);
  if (target === undefined || ts.isIdentifier(target)) return null;
  const [root = ''] = /^\w+/.exec(target.getText()) ?? [];
  const isOfAll = owners.has(root) || /^[A-Z]\w*\.(prototype\b|stackTraceLimit$)/.test(target.getText());
  return isOfAll ? target.getText() : null;
}

function changedBy(node: ts.Node): ts.Expression | undefined {
  if (ts.isDeleteExpression(node)) return node.expression;
  if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node))
    return /\+\+|--/.test(node.getText()) ? node.operand : undefined;
  if (!ts.isBinaryExpression(node)) return undefined;
  const { kind } = node.operatorToken;
  const isAssignment = kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
  return isAssignment ? node.left : undefined;
}

function importedBy(file: ts.SourceFile): string[] {
  return file.statements.filter(ts.isImportDeclaration).flatMap(({ importClause }) => {
    const bindings = importClause?.namedBindings;
    const named = bindings === undefined || ts.isNamespaceImport(bindings) ? [] : bindings.elements;
    const whole = bindings !== undefined && ts.isNamespaceImport(bindings) ? [bindings.name] : [];
    return [importClause?.name, ...whole, ...named.map(({ name }) => name)].flatMap(
      (name) => name?.text ?? [],
    );
  });
}
