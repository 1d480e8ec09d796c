import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';

/**
 * @typedef {{
 *   readonly within: string | readonly string[],
 *   readonly changes: readonly (readonly [from: string, to: string])[],
 * }} Change `within` is the name of a function, a method or a constant: one for all pairs, or one each
 */
/** @typedef {{ readonly path: string, readonly text: string }} Source */

/** @param {Change} change @param {readonly Source[]} sources @returns {Source[]} */
export function changed({ within, changes }, sources) {
  /** @type {Map<string, string>} */
  const texts = new Map();
  for (const [at, [from, to]] of changes.entries()) {
    const name = typeof within === 'string' ? within : (within[at] ?? '');
    const found = sources.flatMap(({ path, text }) =>
      placesOf(path, texts.get(path) ?? text, from)
        .filter((place) => place.within === name)
        .map((place) => ({ path, ...place })),
    );
    const [place] = found;
    if (place === undefined || found.length > 1)
      throw new Error(`${name}: stands there ${String(found.length)} times and not once: ${from}`);
    const { path, start, end } = place;
    const text = texts.get(path) ?? sources.find((source) => source.path === path)?.text ?? '';
    texts.set(path, text.slice(0, start) + to + text.slice(end));
  }
  return [...texts].map(([path, text]) => ({ path, text }));
}

/** @param {string} path @param {string} text @param {string} wanted */
export function placesOf(path, text, wanted) {
  const pattern = wanted.split(/\s+/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const found = [...text.matchAll(new RegExp(pattern.join('\\s+'), 'g'))];
  if (found.length === 0) return [];
  const spans = spansOf(path, text);
  return found.map(({ 0: { length }, index: start }) => {
    const holder = spans.find((span) => span.start <= start && start < span.end);
    return { start, end: start + length, within: holder?.name ?? '' };
  });
}

/** @param {string} root @returns {Source[]} */
export function sourcesOf(root) {
  return readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => posix.join('src', name))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

/** @param {string} path @param {string} text @returns {{ name: string, start: number, end: number }[]} */
function spansOf(path, text) {
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, false, kind);
  /** @param {ts.NamedDeclaration} named @param {ts.Node} node */
  const span = (named, node = named) => ({
    name: named.name?.getText(file) ?? '',
    start: node.pos,
    end: node.end,
  });
  return file.statements.flatMap((node) => {
    if (ts.isVariableStatement(node)) {
      const [first, ...others] = node.declarationList.declarations.map((one) => span(one));
      return first === undefined ? [] : [{ ...first, start: node.pos }, ...others];
    }
    // A constructor goes by the name of its class.
    if (ts.isClassDeclaration(node))
      return node.members.map((member) => span(ts.isConstructorDeclaration(member) ? node : member, member));
    return ts.isFunctionDeclaration(node) ? [span(node)] : [];
  });
}
