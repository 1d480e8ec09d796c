import { Failure } from '../runtime/failure.js';
import type { SourceName } from './file-source.js';

const FORMS: readonly (readonly [beginning: RegExp, name: string])[] = [
  [/^\s*(?:OFXHEADER|(?:<\?[^>]*>\s*)*<\??OFX)/i, 'OFX'],
  [/^\s*<[^]{0,2000}camt\.05/, 'camt (ISO 20022)'],
  [/^\s*</, 'HTML or XML'],
  [/^\s*!\p{L}+(?::|\s*\n)/u, 'QIF'],
  [/^\s*(?:\{1:[^]{0,400}?)?:20:/, 'MT940'],
  [/^\s*(?:00.*\r?\n)?11,?[0-9]{4},?[0-9]{4}.*\r?\n(?:22|33),?[0-9 ]{4}/, 'Cuaderno 43'],
];

export function requireTable(sample: string, { name, undone }: SourceName, isUnusable = false): void {
  const lines = sample.split(/\r?\n/, 50).filter((line) => line.trim() !== '');
  const { length } = lines[0] ?? '';
  const isSolid = length >= 60 && lines.every((line) => line.length === length && /^[0-9]{8}/.test(line));
  const isSpaced = lines.filter((line) => /\S {2,}\S.*\S {2,}\S/.test(line)).length * 5 > lines.length * 4;
  const isWide = isUnusable && (isSolid || isSpaced) && !/[;\t|]/.test(lines.join(''));
  const form = FORMS.find(([beginning]) => beginning.test(sample.slice(0, 4000)))?.[1];
  const what = form ?? (isWide ? 'text of fixed width' : undefined);
  if (what !== undefined)
    throw new Failure('bad_file', `${name} is ${what}. ${undone} Export it as CSV or XLSX.`);
}
