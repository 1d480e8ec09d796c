/** As much of YAML as the documents use: maps and lists by indentation, short ones in brackets, and texts of several lines. */

export type Yaml = string | readonly Yaml[] | { readonly [name: string]: Yaml };

interface Line {
  readonly indent: number;
  readonly text: string;
}

/** @throws where it is something else */
export function readYaml(text: string): Yaml {
  const lines = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line): Line => ({ indent: line.search(/\S/), text: line.trim() }));
  const [value, rest] = blockOf(lines, 0);
  if (rest.length > 0) throw new Error(`what is ${rest[0]!.text}?`);
  return value;
}

function blockOf(lines: readonly Line[], indent: number): [Yaml, readonly Line[]] {
  return lines[0]?.text.startsWith('- ') === true ? listOf(lines, indent) : mapOf(lines, indent);
}

function listOf(lines: readonly Line[], indent: number): [Yaml, readonly Line[]] {
  const items: Yaml[] = [];
  let left = lines;
  while (left[0]?.indent === indent && left[0].text.startsWith('- ')) {
    const text = left[0].text.slice(2);
    const at = indent + 2;
    const inner = [{ indent: at, text }, ...left.slice(1)];
    const [item, rest] = isPair(text) ? mapOf(inner, at) : valueOf(text, left.slice(1), indent);
    items.push(item);
    left = rest;
  }
  return [items, left];
}

function mapOf(lines: readonly Line[], indent: number): [Yaml, readonly Line[]] {
  const members: Record<string, Yaml> = {};
  let left = lines;
  while (left[0]?.indent === indent && isPair(left[0].text)) {
    const [, name = '', text = ''] = /^([\w.-]+):\s*(.*)$/.exec(left[0].text) ?? [];
    const [value, rest] = valueOf(text, left.slice(1), indent);
    members[name] = value;
    left = rest;
  }
  return [members, left];
}

function valueOf(text: string, below: readonly Line[], indent: number): [Yaml, readonly Line[]] {
  if (text === '|') {
    const end = below.findIndex((line) => line.indent <= indent);
    const own = end < 0 ? below : below.slice(0, end);
    return [own.map((line) => line.text).join('\n'), below.slice(own.length)];
  }
  if (text !== '') return [shortOf(text), below];
  return blockOf(below, below[0]?.indent ?? 0);
}

function shortOf(text: string): Yaml {
  const [, list] = /^\[(.*)\]$/.exec(text) ?? [];
  if (list !== undefined) return list.split(/,\s*/);
  const [, map] = /^\{ (.*) \}$/.exec(text) ?? [];
  if (map === undefined) return text;
  const pairs = map.matchAll(/(\w+): (\[.*?\]|[^,]+)/g);
  return Object.fromEntries([...pairs].map(([, name = '', value = '']) => [name, shortOf(value)]));
}

function isPair(text: string): boolean {
  return /^[\w.-]+:(\s|$)/.test(text);
}
