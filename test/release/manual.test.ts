import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { builtManual } from '../../scripts/release/contents.js';
import { manualOf } from '../../scripts/release/manual.js';
import { VARIABLES } from '../../scripts/release/variables.js';
import { ROOT, sourcesIn } from '../house/source.js';

interface Manifest {
  readonly commands: Readonly<
    Record<
      string,
      {
        readonly flags: Readonly<
          Record<string, { readonly char?: string; readonly hidden?: boolean; readonly helpGroup?: string }>
        >;
        readonly examples?: readonly string[];
      }
    >
  >;
}

const { commands } = JSON.parse(readFileSync(join(ROOT, 'oclif.manifest.json'), 'utf8')) as Manifest;
const TIME = 1_700_000_000;

let manual = new Map<string, string>();
beforeAll(async () => {
  manual = await builtManual(ROOT, TIME);
});

const SIGNS: Readonly<Record<string, string>> = { aq: "'", ga: '`', ha: '^', ti: '~', dq: '"' };

function textOf(roff: string): string {
  return roff
    .split('\n')
    .map((line) => (line.startsWith('.') ? line.replace(/^\.[A-Za-z]+ ?/, '') : line))
    .join('\n')
    .replaceAll(/\\f[BR]|\\&/g, '')
    .replaceAll(/\\\((aq|ga|ha|ti|dq)/g, (_, name: string) => SIGNS[name]!)
    .replaceAll(/\\\[u([0-9A-F]+)\]/g, (_, digits: string) => String.fromCodePoint(parseInt(digits, 16)))
    .replaceAll('\\-', '-')
    .replaceAll('\\e', '\\');
}

const pageOf = (id: string): string => manual.get(`svc-${id.replaceAll(':', '-')}.1`) ?? '';

describe('every command', () => {
  it.each(Object.entries(commands))('%s has a page, with every option', (id, { flags, examples = [] }) => {
    const text = textOf(pageOf(id));
    const whole = textOf(manual.get('svc.1')!);
    expect(text).toMatch(new RegExp(`^NAME\nsvc-${id.replaceAll(':', '-')} - \\S`, 'm'));
    for (const [name, { char, hidden, helpGroup }] of Object.entries(flags))
      if (hidden !== true)
        expect(helpGroup === 'GLOBAL' ? whole : text).toMatch(
          new RegExp(`^${char === undefined ? '' : `-${char}, `}--${name}( |$)`, 'm'),
        );
    const pasted = text.replaceAll(/ \\\n\s*/g, ' ');
    for (const example of examples) expect(pasted).toContain(example);
  });

  it.each([
    ...['NAME', 'SYNOPSIS', 'DESCRIPTION', 'OPTIONS', 'EXIT STATUS', 'ENVIRONMENT', 'EXAMPLES', 'SEE ALSO'],
  ])('has the section %s', (title) => {
    for (const id of Object.keys(commands)) expect(pageOf(id).split('\n'), id).toContain(`.SH ${title}`);
  });
});

it('there is a page of svc itself, one for each topic, and no other', () => {
  const ids = Object.keys(commands).flatMap((id) => [id.split(':')[0]!, id.replaceAll(':', '-')]);
  const names = ['svc.1', ...new Set(ids.map((id) => `svc-${id}.1`))];
  expect([...manual.keys()].sort()).toEqual(names.sort());
});

it('each page that another one names is there', () => {
  for (const [name, roff] of manual)
    for (const [, other = ''] of textOf(roff).matchAll(/(svc[a-z-]*)\(1\)/g))
      expect([...manual.keys()], name).toContain(`${other}.1`);
});

it('svc(1) has every variable of its own that the sources read', () => {
  const read = sourcesIn('src').flatMap(({ text }) =>
    [...text.matchAll(/\bSVC_[A-Z_]+\b/g)].map(([name]) => name),
  );
  expect(VARIABLES.map(([name]) => name)).toEqual(expect.arrayContaining([...new Set(read)]));
  for (const [name] of VARIABLES) expect(textOf(manual.get('svc.1')!)).toContain(`\n${name}\n`);
});

const HOSTILE = `.so /etc/passwd\n'\\n"x" \\*[x] \\\\ .TH x ~^\`-- \u001b[31m\u0007 é — 'quoted'\n.\n'br`;

it('hostile text is printed, and obeys nothing', () => {
  const pages = new Map([
    [
      'svc',
      [
        { kind: 'text', text: HOSTILE },
        { kind: 'text', text: HOSTILE },
        { kind: 'commands', title: 'EXAMPLES', commands: [{ type: HOSTILE }] },
      ] as const,
    ],
    ['flags', [{ kind: 'rows', title: HOSTILE, rows: [[`--${HOSTILE}`, HOSTILE]] }] as const],
  ]);
  const shell = ([command]: readonly { type: string }[]): string[] => command!.type.split('\n');
  const exits = [['1', HOSTILE]] as const;
  const [page = ''] = manualOf({ pages, version: HOSTILE, time: TIME, exits, shell }).values();
  const requests = page.split('\n').filter((line) => /^[.']/.test(line));
  expect(requests.filter((line) => !/^\.(TH|SH|SS|TP|PP|RS|RE|nf|fi|nh|ad)\b/.test(line))).toEqual([]);
  expect(page).not.toMatch(/[^\n\x20-\x7e]/);
  expect(page.replaceAll(/\\(e|-|&|\((aq|ga|ha|ti|dq)|\[u[0-9A-F]{4,5}\]|f[BR])/g, '')).not.toContain('\\');
  expect(textOf(page)).toContain('.so /etc/passwd');
});

const CRITICS: readonly (readonly [name: string, ...args: string[]])[] = [
  ['groff', '-ww', '-man', '-Tutf8', '-z'],
  ['mandoc', '-T', 'lint', '-W', 'warning'],
];

for (const [name, ...args] of CRITICS) {
  const isThere = spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;
  it.skipIf(!isThere)(
    `${name} has nothing to say (skipped where there is none: apt-get install ${name})`,
    () => {
      for (const [page, input] of manual) {
        const { stdout, stderr, status } = spawnSync(name, args, { input, encoding: 'utf8' });
        expect({ stdout, stderr, status }, page).toEqual({ stdout: '', stderr: '', status: 0 });
      }
    },
  );
}
