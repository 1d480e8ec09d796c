/** What the pages say of the program is what it does: each statement of statements.txt stands on its page, and its lines show it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { wordsInShell } from '../support/shell.js';
import { world, type Result } from '../support/svc.js';
import { ROOT } from './source.js';

interface Statement {
  readonly page: string;
  readonly words: string;
  /** As a shell takes them, each in a folder that stays; the last one shows it. */
  readonly lines: readonly string[];
  readonly exitCode: number;
  readonly shows: string;
}

/** What the lines name: `$PAYOUT $GOOD`, and files below `$F`. */
const OF_ALL = '--country VE --currency VES';
const VARIABLES = {
  BATCH: `${OF_ALL} --method mobile_payment`,
  PAYOUT: `${OF_ALL} --method mobile_payment --amount 20.00 --beneficiary document.type=V --beneficiary bank_code=0105 --beneficiary account_number=04149876543`,
  GOOD: '--beneficiary document.number=12345678',
  FAILS: '--beneficiary document.number=00000001',
  PENDING: '--beneficiary document.number=00000002',
  NO_FUNDS: '--beneficiary document.number=00000004',
  PAYER: `${OF_ALL} --amount 30.00 --payer document.type=V --payer document.number=12345678 --payer bank_code=0102`,
  PHONE: '--payer phone=04121234567',
  LOSE: '--route payouts.create --kind drop-after --count 3',
  DROP: '--route payouts.create --kind drop-before --count 3',
};

/** Pages, and beneath each its statements: the words, `$ ` and a line of a shell, the exit code and what is shown. */
function statementsOf(text: string): Statement[] {
  let page = '';
  return text
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.split('\n').filter((line) => line !== '' && !line.startsWith('# ')))
    .flatMap((paragraph) => {
      if (paragraph[0]?.startsWith('## ') === true) page = paragraph.shift()!.slice(3);
      if (paragraph.length === 0) return [];
      const [words = '', ...others] = paragraph;
      const lines = others.filter((line) => line.startsWith('$ ')).map((line) => line.slice(2));
      const [, exitCode, shows = ''] = /^(\d+) (.+)$/.exec(others.at(-1) ?? '') ?? [];
      expect(lines.length, words).toBe(others.length - 1);
      expect(shows, words).not.toBe('');
      return [{ page, words, lines, exitCode: Number(exitCode), shows }];
    });
}

const STATEMENTS = statementsOf(readFileSync(join(ROOT, 'test/house/statements.txt'), 'utf8'));
const textOf = (page: string): string => readFileSync(join(ROOT, page), 'utf8').replaceAll(/\s+/g, ' ');

it('holds at least three of every page that it names', () => {
  const pages = STATEMENTS.map(({ page }) => page);
  expect(STATEMENTS.length).toBeGreaterThanOrEqual(40);
  expect([...new Set(pages)].filter((page) => pages.filter((other) => other === page).length < 3)).toEqual(
    [],
  );
});

it.each(STATEMENTS)('$page: $words', async ({ page, words, lines, exitCode, shows }) => {
  expect(textOf(page)).toContain(words);
  const home = world();
  try {
    const results: Result[] = [];
    for (const line of lines) {
      // FILE <- TEXT writes a file.
      const [, file, text = ''] = /^(\S+) <- (.*)$/.exec(line) ?? [];
      if (file !== undefined) {
        writeFileSync(join(home.home, file), JSON.parse(`"${text}"`) as string);
        continue;
      }
      const [, env = '', command = '', input] =
        /^((?:[A-Z_]+=\S+ )*)(svc .*?)(?: < (\S+))?$/.exec(line) ?? [];
      expect(command, line).not.toBe('');
      const said = results.map(({ stdout }, at) => [`SAID${String(at + 1)}`, stdout.trim()]);
      const given = Object.entries({ ...VARIABLES, F: home.home }).concat(said as [string, string][]);
      const setting = given.map(([name, value]) => `${name}='${value.replaceAll("'", '')}'; `).join('');
      const pairs = [...env.matchAll(/(\w+)=(\S+) /g)].map(([, name = '', value = '']) => [name, value]);
      const options = {
        wire: true,
        env: Object.fromEntries(pairs) as Record<string, string>,
        ...(input === undefined ? {} : { stdin: readFileSync(join(home.home, input), 'utf8') }),
      };
      results.push(await home.svc(wordsInShell(setting + command), options));
    }
    const { exitCode: ended, stdout, stderr } = results.at(-1)!;
    const all = `${stdout}\n${stderr}`.replaceAll('\\"', '"');
    expect(ended, all).toBe(exitCode);
    if (shows.startsWith('/')) expect(all).toMatch(new RegExp(shows.slice(1, -1)));
    else expect(all).toContain(shows);
  } finally {
    home.remove();
  }
});
