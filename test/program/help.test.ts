/** Help: every page fits, every spelling finds its page, and every page says what a person looks for. */
import { afterAll, describe, expect, it } from 'vitest';
import { COMMAND_IDS, REGISTRY } from '../../src/commands/registry.js';
import { world } from '../support/svc.js';

const home = world();
afterAll(() => home.remove());
const TOPICS = [...new Set(COMMAND_IDS.filter((id) => id.includes(' ')).map((id) => id.split(' ')[0] ?? ''))];

/** What a page says, whatever its width. */
const wordsOf = (text: string): string[] => text.split(/(?: \\\n|\s)+/).filter((word) => word !== '');

async function page(line: string): Promise<string> {
  const result = await home.svc(line);
  expect(result, `svc ${line}`).toMatchObject({ exitCode: 0, stderr: '' });
  return result.stdout;
}

describe('pages', () => {
  it.each(['', ...TOPICS, ...COMMAND_IDS])('svc help %s fits into the terminal', async (path) => {
    const text = await page(`help ${path}`);
    for (const columns of [0, 40, 60, 80, 120]) {
      const { stdout } = await home.svc(`help ${path}`, {
        tty: { stdout: true },
        columns,
        env: { NO_COLOR: '1' },
      });
      const width = Math.min(columns === 0 ? 80 : columns, 100);
      for (const line of stdout.split('\n'))
        // Nothing that is typed or looked up is broken to fit.
        if (/\s\S/.test(line.trim())) expect(line.length, line).toBeLessThanOrEqual(Math.max(width, 54));
      if (columns !== 40)
        for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(width);
      expect(wordsOf(stdout)).toEqual(wordsOf(text));
    }
    expect(text).toBe(await page(`${path} --help`));
    expect(text).not.toMatch(/undefined|\[object/);
  });

  it('the first one names every topic and command of one word', async () => {
    const text = await page('');
    expect(text).toBe(await page('--help'));
    expect(text).toBe(await page('-h'));
    for (const name of new Set(COMMAND_IDS.map((id) => id.split(' ')[0] ?? '')))
      expect(text).toContain(`  ${name} `);
  });

  it.each(TOPICS)('the one of %s names its commands, in the singular too', async (topic) => {
    const text = await page(topic);
    expect(text).toBe(await page(`${topic} --help`));
    if (topic !== 'sandbox')
      expect(text).toBe(await page(`${topic.replace(/(e?)s$/, topic === 'batches' ? '' : '$1')} --help`));
    for (const id of COMMAND_IDS.filter((one) => one.startsWith(`${topic} `)))
      expect(text).toContain(`svc ${id}`);
  });

  it.each(COMMAND_IDS)('the one of %s names its flags, its arguments and its exit codes', async (id) => {
    const { default: command } = await REGISTRY[id]();
    const text = await page(`${id} -h`);
    for (const name of Object.keys({ ...command.flags, ...command.baseFlags }))
      expect(text).toContain(`--${name}`);
    for (const name of Object.keys(command.args)) expect(text).toContain(name.toUpperCase());
    expect(text.replace(/\s+/g, ' ')).toContain(command.summary);
    // One sentence.
    expect(command.summary).toMatch(/^[A-Z]([^.]|\.(?! |$))*\.$/);
    expect(text).toMatch(/EXIT CODES\n {2}0 done, /);
    expect(text.split('EXIT CODES\n')[1]?.split('\n').length).toBeLessThan(8);
    expect(text.replace(/\s+/g, ' ')).toContain('129/130/143 stopped by a signal');
    expect(text.includes('ENDPOINT\n')).toBe(command.endpoint !== null);
    if (command.endpoint !== null) expect(text).toMatch(/, scope: \S/);
  });

  it.each([
    ['doctor', '10', '11'],
    ['events tail', '15', '141'],
    ['events sync', '6', '10'],
    ['requests repeat', '5', '12'],
    ['sandbox start', '15'],
    ['api', '7', '12'],
  ])('the one of %s names the exit codes of its own', async (id, ...codes) => {
    const text = await page(`help ${id}`);
    const [, exits = ''] = text.split('EXIT CODES\n');
    for (const code of codes) expect(exits).toMatch(new RegExp(`(^ {2}|, | {2})${code} [a-z]`, 'm'));
  });

  it('has bold headings where the terminal has colours, and none elsewhere', async () => {
    const bold = await home.svc('payins create --help', { tty: { stdout: true } });
    expect(bold.stdout).toContain('\u001b[1mEXIT CODES\u001b[22m\n');
    expect(
      (await home.svc('payins create --help --no-color', { tty: { stdout: true } })).stdout,
    ).not.toContain('\u001b');
    expect((await home.svc('payins create --help')).stdout).not.toContain('\u001b');
  });

  it('nothing is found for what is nothing', async () => {
    expect(await home.svc('help nonsense')).toMatchObject({ exitCode: 2, stdout: '' });
    expect(await home.svc('nonsense --help')).toMatchObject({ exitCode: 2, stdout: '' });
  });
});
