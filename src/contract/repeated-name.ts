/** Names that stand twice in an object of JSON: which of both is meant nobody knows, and a parser takes the last. Pure. */
import { membersAt } from './json-bytes.js';

/** The path of a name that an object of the text has twice, at any depth; null where none has. */
export function repeatedName(text: string): string | null {
  const bytes = Buffer.from(text);
  const open: [start: number, path: string][] = [[0, '']];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [start, path] = next;
    const seen = new Set<string>();
    for (const member of membersAt(bytes, start) ?? []) {
      const at = path === '' ? member.name : `${path}.${member.name}`;
      if (seen.has(member.name)) return at;
      seen.add(member.name);
      if (bytes[member.start] === 0x7b) open.push([member.start, at]);
    }
  }
  return null;
}
