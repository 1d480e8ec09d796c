import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { globalFlags } from '../../src/command/line/flags.js';
import { COMMAND_IDS, REGISTRY } from '../../src/registry.js';
import { ROOT } from '../house/source.js';

/** These tests treat all flags alike, so they prove nothing about a single flag. */
const ALIKE = ['test/program/flags.test.ts', 'test/program/help.test.ts', 'test/house/', 'test/bin/'];

const TESTS = new Map(
  readdirSync(join(ROOT, 'test'), { recursive: true })
    .map((name) => `test/${String(name)}`)
    .filter((path) => path.endsWith('.ts') && !ALIKE.some((one) => path.startsWith(one)))
    .map((path) => [path, readFileSync(join(ROOT, path), 'utf8')] as const),
);

it.each(COMMAND_IDS)('every flag of svc %s is used in a test that names the command', async (id) => {
  const command = await REGISTRY[id]();
  const missing = Object.keys(command.flags).filter((flag) => !isUsed(flag, id));
  expect(missing).toEqual([]);
});

it.each(Object.keys(globalFlags))('--%s is used in a test', (flag) => {
  expect([...TESTS.values()].some((text) => names(text, flag))).toBe(true);
});

function isUsed(flag: string, id: string): boolean {
  const [topic = '', verb = ''] = id.split(' ');
  return [...TESTS].some(([path, text]) => {
    const isOwn = path.includes(`/${[topic, verb].filter(Boolean).join('/')}.`);
    return (isOwn || text.includes(id)) && names(text, flag);
  });
}

function names(text: string, flag: string): boolean {
  return new RegExp(`--${flag}(?![\\w-])`).test(text);
}
