import { repeatedPath } from '../../contract/json.js';
import type { DecimalMark } from '../../sheet/forms.js';
import { lineEnds, RECORD_MAX_CHARACTERS, TOO_LONG } from '../../sheet/records.js';
import type { RecordCutter, SheetRecord } from '../../sheet/records.js';

const PATHS_MAX = 200;

export class JsonCutter implements RecordCutter {
  #text = '';
  #line = 1;
  #isSkipping = false;

  constructor(
    private readonly paths: readonly string[],
    private readonly mark: DecimalMark,
  ) {}

  push(text: string): SheetRecord[] {
    const lines = (this.#text + text).split('\n');
    this.#text = lines.pop() ?? '';
    const records = lines.flatMap((line) => this.#record(line));
    if (this.#text.length > RECORD_MAX_CHARACTERS) {
      if (!this.#isSkipping) records.push({ line: this.#line, cells: [], fault: TOO_LONG });
      this.#isSkipping = true;
      this.#text = '';
    }
    return records;
  }

  end(): SheetRecord[] {
    const text = this.#text;
    this.#text = '';
    return text === '' ? [] : this.#record(text);
  }

  line(): number {
    return this.#line + lineEnds(this.#text);
  }

  #record(text: string): SheetRecord[] {
    const line = this.#line;
    this.#line += 1;
    if (this.#isSkipping) {
      this.#isSkipping = false;
      return [];
    }
    if (text.trim() === '') return [];
    const value = parseLine(text);
    if (!isObject(value)) return [{ line, cells: [], fault: 'is not one JSON object' }];
    const repeated = repeatedPath(text);
    if (repeated !== null) return [{ line, cells: [], fault: `${JSON.stringify(repeated)} is there twice` }];
    const cells: string[] = [];
    for (const path of this.paths) {
      const cell = valueAt(value, path);
      if (cell === null || cell === undefined) cells.push('');
      else if (typeof cell === 'string' || typeof cell === 'boolean') cells.push(String(cell));
      else if (cell instanceof Digits)
        cells.push(this.mark === 'comma' ? cell.text.replace('.', ',') : cell.text);
      else return [{ line, cells: [], fault: `${JSON.stringify(path)} is neither a text nor a number` }];
    }
    return [{ line, cells, fault: null }];
  }
}

/** Keeps the text of a JSON number, because an amount must not become a float. */
class Digits {
  constructor(readonly text: string) {}
}

function parseLine(text: string): unknown {
  const keepDigits = (_name: string, value: unknown, context?: { readonly source?: string }): unknown =>
    typeof value === 'number' ? new Digits(context?.source ?? String(value)) : value;
  try {
    return JSON.parse(text, keepDigits) as unknown;
  } catch {
    return undefined;
  }
}

function valueAt(value: unknown, path: string): unknown {
  if (!isObject(value)) return undefined;
  if (Object.hasOwn(value, path)) return value[path];
  for (let dot = path.indexOf('.'); dot !== -1; dot = path.indexOf('.', dot + 1)) {
    const name = path.slice(0, dot);
    if (Object.hasOwn(value, name)) return valueAt(value[name], path.slice(dot + 1));
  }
  return undefined;
}

export function pathsIn(sample: string): readonly string[] {
  const paths = new Set<string>();
  for (const line of sample.split('\n').slice(0, 50)) collectPaths(parseLine(line), '', paths);
  return [...paths];
}

function collectPaths(value: unknown, path: string, paths: Set<string>): void {
  if (!isObject(value) || paths.size >= PATHS_MAX || path.length > 500) return;
  for (const [name, inner] of Object.entries(value)) {
    const innerPath = path === '' ? name : `${path}.${name}`;
    if (isObject(inner)) collectPaths(inner, innerPath, paths);
    else if (!Array.isArray(inner)) paths.add(innerPath);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Digits);
}
