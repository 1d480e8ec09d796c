/** Help: every page fits, every spelling finds its page, and every page says what a person looks for. */
import { afterAll, describe, expect, it } from 'vitest';
import { COMMAND_IDS, REGISTRY } from '../../src/commands/registry.js';
import { world } from '../support/svc.js';

const home = world();
afterAll(() => home.remove());
const TOPICS = [...new Set(COMMAND_IDS.filter((id) => id.includes(' ')).map((id) => id.split(' ')[0] ?? ''))];

async function page(line: string): Promise<string> {
  const result = await home.svc(line);
  expect(result, `svc ${line}`).toMatchObject({ exitCode: 0, stderr: '' });
  return result.stdout;
}

describe('pages', () => {
  it.each(['', ...TOPICS, ...COMMAND_IDS])('svc help %s fits into 100 columns', async (path) => {
    const text = await page(`help ${path}`);
    for (const line of text.split('\n')) expect(line.length, line).toBeLessThanOrEqual(100);
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
    expect(text.replaceAll('\n', ' ')).toContain(command.summary);
    // One sentence.
    expect(command.summary).toMatch(/^[A-Z]([^.]|\.(?! |$))*\.$/);
    expect(text).toMatch(/EXIT CODES\n {2}0 /);
    expect(text).toMatch(/^ {2}129, 130, 143 +stopped by a signal/m);
    expect(text.includes('ENDPOINT\n')).toBe(command.endpoint !== null);
    if (command.endpoint !== null) expect(text).toMatch(/ {3}scope: \S/);
  });

  it.each([
    ['doctor', '10', '11'],
    ['events tail', '15', '141'],
    ['requests repeat', '5', '12'],
    ['sandbox start', '15'],
    ['api', '7', '12'],
  ])('the one of %s names the exit codes of its own', async (id, ...codes) => {
    const text = await page(`help ${id}`);
    for (const code of codes) expect(text).toMatch(new RegExp(`^ {2}${code} +\\S`, 'm'));
  });

  it('nothing is found for what is nothing', async () => {
    expect(await home.svc('help nonsense')).toMatchObject({ exitCode: 2, stdout: '' });
    expect(await home.svc('nonsense --help')).toMatchObject({ exitCode: 2, stdout: '' });
  });
});
