import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readArgv } from '../../src/command/line/argv.js';
import { VOCABULARY } from '../../src/registry.js';
import { ROOT } from './source.js';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const manifest = JSON.parse(read('oclif.manifest.json')) as {
  readonly commands: Readonly<
    Record<string, { readonly flags: Readonly<Record<string, { readonly char?: string }>> }>
  >;
};
const documents = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs')).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])),
];

function shellLines(text: string): string[] {
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
  return blocks.flatMap((block) => block.replaceAll('\\\n', ' ').split('\n'));
}

function commandsIn(line: string): string[][] {
  const bare = line.replaceAll(/'[^']*'|"[^"]*"/g, 'X').replace(/(^|\s)#.*$/, '');
  return [...bare.matchAll(/(?:^|[\s(|])svc ([^|<>;)&]*)/g)].map(([, words = '']) =>
    words.trim().split(/\s+/),
  );
}

const spans = (path: string): string[] =>
  path === 'docs/operators.md' ? [...read(path).matchAll(/`(svc [^`]+)`/g)].map(([, line = '']) => line) : [];

const typed = documents.flatMap((path) =>
  [...shellLines(read(path)), ...spans(path)].flatMap((line) =>
    commandsIn(line).map((words) => [path, words.join(' '), words] as const),
  ),
);

it('finds commands to check', () => expect(typed.length).toBeGreaterThan(30));

it.each(typed)('%s: svc %s', (_path, _text, words) => {
  const intent = readArgv(words, VOCABULARY);
  if (intent.kind !== 'run') throw new Error(JSON.stringify(intent));
  const { flags } = manifest.commands[intent.id.replaceAll(' ', ':')]!;
  const names = new Set(
    Object.entries(flags).flatMap(([name, { char }]) => [
      `--${name}`,
      ...(char === undefined ? [] : [`-${char}`]),
    ]),
  );
  const end = intent.argv.indexOf('--');
  const own = end === -1 ? intent.argv : intent.argv.slice(0, end);
  const used = own.filter((word) => /^-{1,2}[a-z]/.test(word)).map((word) => word.split('=', 1)[0]!);
  expect(used.filter((flag) => !names.has(flag))).toEqual([]);
});

it('tells a newcomer two lines first', () => {
  const lines = shellLines(read('README.md')).filter((line) => line.startsWith('npm'));
  expect(lines.slice(0, 2)).toEqual(['npm ci && npm run demo', 'npm ci && npm test']);
});
