import { afterAll, describe, expect, it } from 'vitest';
import type { NextCommand } from '../../../src/client/ending.js';
import { batchCommand } from '../../../src/batches/ending.js';
import { nextCommand } from '../../../src/command/ending.js';
import type { Where } from '../../../src/session/place-flags.js';
import { readArgv } from '../../../src/command/line/argv.js';
import { commandLine, flagWords, svcLine } from '../../../src/runtime/shell.js';
import { VOCABULARY } from '../../../src/registry.js';
import { world } from '../../support/svc.js';
import { wordsInShell } from '../../support/shell.js';
import { HOSTILE_WORDS, wordsOf } from '../../support/typed.js';

const here = world();
afterAll(() => here.remove());

const HOSTILE = [...HOSTILE_WORDS, ''];
const WHERE: Where = { profile: '-p', 'base-url': 'http://h/a b', 'ca-file': `--it's.pem`, live: true };
const THERE = ['--profile=-p', '--base-url', 'http://h/a b', `--ca-file=--it's.pem`, '--live'];
const WAIT = ['transactions', 'get', '--wait', ...THERE];
const TYPED = ['payouts', 'create', '--reference', `it's`, '--', '-x'];
const SAME = [...TYPED.slice(0, 4), '--idempotency-key', 'k-1234', '--', '-x'];

describe('the words that tests read out of a line without a shell', () => {
  const ODD = [...'a=~ x\'y a{b,c} ñ \\ a\\b " !x x! {a} a~ x#y =ls [a]'.split(' '), '\t'];

  it.each([...HOSTILE, ...ODD])('are those of a shell, with %j', (value) => {
    const words = ['x', value, `--flag=${value}`, value];
    const line = commandLine(['svc', ...words]);
    expect([wordsOf(line), wordsInShell(line)]).toEqual([words, words]);
  });

  it.each(['svc a "b c" d\\ e "x\\"y" \'\'', `svc --map 'a b'c"d"`, `A=b:1 B_C=http://h/ svc x   'y' `])(
    'are those of a shell in %s',
    (line) => expect(wordsOf(line)).toEqual(wordsInShell(line)),
  );

  it.each([
    ...['$HOME', '`id`', '"$x"', 'a;b', 'a | b', '> f', 'a*', '~', '#x', "'open", '"open', 'a &', '(b)'],
    'a\nb',
  ])('are none where a shell does more: %j', (rest) => expect(() => wordsOf(`svc ${rest}`)).toThrow());

  it.each(['', 'svcs x', 'rm x', 'a svc x'])('are none of another program: %j', (line) =>
    expect(() => wordsOf(line)).toThrow('no command line'),
  );
});

it('what zsh takes for the place of a program is quoted, and a flag with its value is not', () => {
  expect(commandLine(['svc', '=ls', '--profile=x'])).toBe("svc '=ls' --profile=x");
});

describe.each(HOSTILE)('with the value %j', (value) => {
  it.each<[string, NextCommand, readonly string[]]>([
    ['repeat', { kind: 'repeat', key: value }, ['requests', 'repeat', ...THERE, '--', value]],
    ['forget', { kind: 'forget', key: value }, ['requests', 'forget', ...THERE, '--', value]],
    ['get', { kind: 'get', endpointId: 'payins.get', id: value }, ['payins', 'get', ...THERE, value]],
    ['wait', { kind: 'wait', endpointId: 'transactions.get', id: value }, [...WAIT, value]],
    ['confirm', { kind: 'confirm', id: value }, ['payins', 'confirm', ...THERE, value]],
    ['same', { kind: 'same', key: 'k-1234' }, SAME],
    ['register-again', { kind: 'register-again' }, TYPED],
  ])('the next command of the kind %s', (_kind, next, expected) => {
    const words = wordsInShell(nextCommand(next, { typed: TYPED, flags: WHERE }) ?? '');
    expect(words.filter((word) => word !== '--')).toEqual(expected.filter((word) => word !== '--'));
    if (value.startsWith('-') && 'id' in next) expect(words.slice(-2)).toEqual(['--', value]);
  });

  it('a command of a batch', () => {
    const flags = [...flagWords('--reference', value), '--not-paid'];
    const words = wordsInShell(batchCommand('resolve', 'pay', {}, ...flags));
    const given = value.startsWith('-') ? [`--reference=${value}`] : ['--reference', value];
    expect(words).toEqual(['batches', 'resolve', ...given, '--not-paid', 'pay']);
  });

  it('any words', () => expect(wordsInShell(commandLine(['svc', value, value]))).toEqual([value, value]));

  it('is no flag to svc itself', async () => {
    const words = wordsInShell(svcLine('requests show', ['--json'], [value]));
    expect(readArgv(words, VOCABULARY)).toMatchObject({ kind: 'run', id: 'requests show' });
    const { stderr } = await here.svc(words);
    expect(stderr).not.toMatch(/has no flag|has no argument|needs a value/);
  });
});
