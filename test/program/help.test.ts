import { describe, expect, it } from 'vitest';
import { EXIT_MEANINGS, exitCodesOf, isExtraCode } from '../../src/command/help/exit-codes.js';
import { globalFlags } from '../../src/command/line/flags.js';
import { COMMAND_IDS, REGISTRY } from '../../src/registry.js';
import { METHODS } from '../../src/contract/operation.js';
import { world } from '../support/svc.js';

const home = world();
const TOPICS = [...new Set(COMMAND_IDS.filter((id) => id.includes(' ')).map((id) => id.split(' ')[0] ?? ''))];

const wordsOf = (text: string): string[] => text.split(/(?: \\\n|\s)+/).filter((word) => word !== '');

const flagText = (text: string, name: string): string =>
  new RegExp(`--${name} [^]*?(?=\\n +(-., )?--|\\n[^ ])`).exec(
    text
      .split(/\nARGUMENTS|\nWHAT /)
      .slice(1)
      .join('\n'),
  )?.[0] ?? '';

async function page(line: string): Promise<string> {
  const result = await home.svc(line);
  expect(result, `svc ${line}`).toMatchObject({ exitCode: 0, stderr: '' });
  return result.stdout;
}

describe('pages', () => {
  it.each(['', 'all', 'flags', ...TOPICS, ...COMMAND_IDS])('svc help %s fits', async (path) => {
    const text = await page(`help ${path}`);
    for (const columns of [0, 40, 60, 80, 120]) {
      const { stdout } = await home.svc(`help ${path}`, {
        ...{ tty: { stdout: true }, columns, env: { NO_COLOR: '1' } },
      });
      const width = Math.min(columns === 0 ? 80 : columns, 100);
      for (const line of stdout.split('\n'))
        if (/\s\S/.test(line.trim())) expect(line.length, line).toBeLessThanOrEqual(Math.max(width, 54));
      if (columns !== 40)
        for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(width);
      expect(wordsOf(stdout)).toEqual(wordsOf(text));
    }
    expect(text).toBe(await page(`${path} --help`));
    expect(text).not.toMatch(/undefined|\[object/);
  });

  it.each([
    ['sandbox exec', 'svc sandbox exec [flags] -- COMMAND'],
    ['certify client', 'svc certify client [flags] -- COMMAND'],
    ['sandbox clock', 'svc sandbox clock [advance DURATION]'],
  ])('of %s shows how its arguments are typed', async (id, usage) => {
    expect(await page(`help ${id}`)).toContain(`USAGE\n  $ ${usage}\n`);
  });

  it('the first one shows twelve commands in three groups, and where the rest is', async () => {
    const text = await page('');
    expect(text).toBe(await page('--help'));
    expect(text).toBe(await page('-h'));
    expect(text.match(/^ {2}svc \S+/gm)).toHaveLength(12);
    expect(text.match(/^[A-Z][A-Z -]+$/gm)).toEqual(['MONEY', 'WHAT HAPPENED', 'SET-UP']);
    for (const line of ['svc help all', 'svc help flags']) expect(text).toContain(line);
  });

  it('svc help all names every command', async () => {
    const text = await page('help all');
    for (const id of COMMAND_IDS) expect(text).toMatch(new RegExp(`^  svc ${id}( |$)`, 'm'));
  });

  it('svc help flags names every global flag and every exit code', async () => {
    const text = await page('help flags');
    for (const name of Object.keys(globalFlags)) expect(text).toMatch(new RegExp(`--${name}( |$)`, 'm'));
    for (const code of Object.keys(EXIT_MEANINGS))
      expect(text).toMatch(new RegExp(`^  .*\\b${code}\\b`, 'm'));
  });

  it.each(TOPICS)('the one of %s names its commands, in the singular too', async (topic) => {
    const text = await page(topic);
    expect(text).toBe(await page(`${topic} --help`));
    if (topic !== 'sandbox')
      expect(text).toBe(await page(`${topic.replace(/(e?)s$/, topic === 'batches' ? '' : '$1')} --help`));
    for (const id of COMMAND_IDS.filter((one) => one.startsWith(`${topic} `)))
      expect(text).toContain(`svc ${id}`);
  });

  it.each(COMMAND_IDS)('the one of %s names its flags, its arguments and its own exit codes', async (id) => {
    const command = await REGISTRY[id]();
    const text = await page(`${id} -h`);
    const flat = text.replace(/\s+/g, ' ');
    const own = Object.entries(command.flags as Readonly<Record<string, { readonly hidden?: boolean }>>);
    const shown = own.filter(([, { hidden }]) => hidden !== true).map(([name]) => name);
    for (const name of [...shown, ...command.namesGlobal])
      expect(text).toMatch(new RegExp(`^ +(-., )?--${name}( |$)`, 'm'));
    const args = Object.entries<{ readonly options?: readonly string[] }>(command.args);
    for (const [name, { options = [] }] of args)
      expect(text).toMatch(new RegExp(`^ +${options.length === 1 ? options[0]! : name.toUpperCase()} `, 'm'));
    expect(flat).toContain(command.summary);
    expect(command.summary).toMatch(/^[A-Z]([^.]|\.(?! |$))*\.$/);
    const special = exitCodesOf(command).filter(isExtraCode);
    expect(text.includes('\nExit codes: ')).toBe(special.length > 0);
    for (const code of special)
      expect(flat.split('Exit codes: ')[1]).toMatch(new RegExp(`(^|, )${String(code)} [a-z]`));
    expect(flat).not.toMatch(/ 0 done|129/);
    expect(text.includes('\nEndpoint: ')).toBe(command.endpoint !== null);
    expect(text).toMatch(/\nGlobal flags and exit codes: svc help flags\n$/);
  });

  it.each(COMMAND_IDS)('of %s: examples before flags, and what is needed where it is typed', async (id) => {
    const command = await REGISTRY[id]();
    const text = await page(`${id} -h`);
    const first = text.search(/^(ARGUMENTS|FLAGS|[A-Z ]+\n +(-., )?--)/m);
    expect(text.indexOf('EXAMPLES\n')).toBeGreaterThan(text.indexOf('USAGE\n'));
    if (first !== -1) expect(text.indexOf('EXAMPLES\n')).toBeLessThan(first);
    const [, usage = ''] = /USAGE\n([^]*?)\nEXAMPLES\n/.exec(text) ?? [];
    const flags = command.flags as Readonly<Record<string, { readonly required?: boolean }>>;
    const needed = Object.keys(flags).filter((name) => flags[name]?.required === true);
    for (const name of [...needed, ...command.needs]) expect(usage).toContain(`--${name}`);
  });

  it('names --live where money may move', async () => {
    const moving = [
      ...['payouts create', 'payouts batch', 'payins confirm', 'batches retry', 'requests repeat', 'api'],
    ];
    for (const id of moving) expect(await page(`${id} --help`)).toMatch(/^ +--live {2,}/m);
    for (const id of ['payouts get', 'balances', 'profiles list'])
      expect(await page(`${id} --help`)).not.toContain('--live');
  });

  it('offers the methods of its direction alone', async () => {
    const methodsIn = (text: string): string[] => flagText(text, 'method').split(/[\s,]+/);
    const collects = await page('payins create --help');
    const pays = await page('payouts create --help');
    expect(flagText(await page('payins batch --help'), 'method')).toMatch(/: direct_debit,\s/);
    for (const [code, { direction }] of Object.entries(METHODS)) {
      expect(methodsIn(collects).includes(code), code).toBe(direction === 'payin');
      expect(methodsIn(pays).includes(code), code).toBe(direction === 'payout');
    }
  });

  it('is short: 40 lines where a command has few flags, and less than 1,600 together', async () => {
    let total = 0;
    for (const id of COMMAND_IDS) {
      const command = await REGISTRY[id]();
      const { stdout } = await home.svc(`help ${id}`, {
        ...{ tty: { stdout: true }, columns: 80, env: { NO_COLOR: '1' } },
      });
      const lines = stdout.trimEnd().split('\n').length;
      total += lines;
      if (Object.keys(command.flags).length < 15) expect(lines, id).toBeLessThanOrEqual(40);
    }
    expect(total).toBeLessThan(1600);
  });

  it('has bold headings where the terminal has colours, and none elsewhere', async () => {
    const bold = await home.svc('payins create --help', { tty: { stdout: true } });
    expect(bold.stdout).toContain('\u001b[1mEXAMPLES\u001b[22m\n');
    expect(bold.stdout).toContain('\u001b[1mExit codes:\u001b[22m 6 rejected,');
    expect(
      (await home.svc('payins create --help --no-color', { tty: { stdout: true } })).stdout,
    ).not.toContain('\u001b');
    expect((await home.svc('payins create --help')).stdout).not.toContain('\u001b');
  });

  it.each(['clock', 'fault', 'key', 'requests'])('sandbox %s says which', async (name) => {
    const text = (await page(`sandbox ${name} --help`)).replace(/\s+/g, ' ');
    expect(text).toContain('--base-url URL The sandbox at this address [default: the one of this machine]');
  });

  it.each(['environment', 'exit-codes', 'formatting'])('%s is on the page of flags', async (name) => {
    const text = await page(`help ${name}`);
    expect(text).toBe(await page('help flags'));
    for (const shared of ['SVC_PROFILE', 'SVC_OUTPUT', 'NO_COLOR']) expect(text).toContain(shared);
  });

  it('nothing is found for what is nothing', async () => {
    expect(await home.svc('help nonsense')).toMatchObject({ exitCode: 2, stdout: '' });
    expect(await home.svc('nonsense --help')).toMatchObject({ exitCode: 2, stdout: '' });
  });
});
