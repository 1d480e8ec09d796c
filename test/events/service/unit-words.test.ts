/** Words in units of systemd: each comes out as it went in. */
import { expect, it } from 'vitest';
import { execLine, unitWord } from '../../../src/events/service/unit.js';
import { wordsOfExec } from '../../support/systemd-unit.js';

const HOSTILE = [
  '',
  ' ',
  '-x',
  '--to=http://localhost:3000/hooks?shop=1&all=%20',
  'a b',
  `it's "quoted"`,
  '"',
  "'",
  '\\',
  'ends with \\',
  '%',
  '%n %% %d',
  '$HOME ${HOME} $$',
  ';',
  '\\;',
  'a;b',
  '#',
  '~',
  '@x',
  'line\nExecStartPre=/bin/evil',
  'tab\tcr\rnul-free\u0001\u007f',
  '\u202e\u2028\ufeff\u009b',
  'ünïcode €😀',
  '*?[a]{b,c}|&<>()!`',
];

it.each(HOSTILE)('%j means itself', (word) => {
  const line = execLine('/usr/bin/svc', ['events', word, 'tail']);
  expect(wordsOfExec(line)).toEqual(['/usr/bin/svc', 'events', word, 'tail']);
  // Nothing ends the line, drives a terminal, or can be taken for something else.
  expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\ufeff]/u);
});

it('all of them at once, in any neighbourhood', () => {
  expect(wordsOfExec(execLine('/usr/bin/svc', HOSTILE))).toEqual(['/usr/bin/svc', ...HOSTILE]);
  const twice = HOSTILE.flatMap((one) => HOSTILE.map((other) => one + other));
  expect(wordsOfExec(execLine('/usr/bin/svc', twice)).slice(1)).toEqual(twice);
});

it('leaves what is plain as it is', () => {
  expect(['--max-lag', '5m', 'http://localhost:3000/hooks', 'a@b', 'x=1'].map(unitWord)).toEqual([
    '--max-lag',
    '5m',
    'http://localhost:3000/hooks',
    'a@b',
    'x=1',
  ]);
});
