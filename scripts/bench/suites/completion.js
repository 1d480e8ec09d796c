import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawn } from '@lydell/node-pty';
import { emptyStartMs, isInstalled, paired, spread } from '../measure.js';

export const title = 'Completion';
export const note =
  'From the TAB to the word on the screen of an interactive shell. The shell asks `svc complete`: a start of `svc` is part of it.';

const N = 21;
const WARM_UP = 3;
const ESCAPES = new RegExp(
  `${String.fromCharCode(27)}(\\[[0-9;?]*[A-Za-z]|[78=>]|\\([A-Z0-9]|\\][^\\x07]*\\x07)`,
  'g',
);

const LINE = { typed: 'svc payins create --inter', completed: 'active' };

const SHELLS = {
  bash: { args: ['--norc', '-i'], load: (/** @type {string} */ file) => `source ${file}` },
  zsh: {
    args: ['-f', '-i'],
    load: (/** @type {string} */ file) => `autoload -U compinit; compinit -u -D; source ${file}`,
  },
  fish: { args: ['--no-config', '-i'], load: (/** @type {string} */ file) => `source ${file}` },
};

/** @param {import('../stage.js').Stage} stage */
export async function* run(stage) {
  const bin = join(stage.folder, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'svc'), `#!/bin/sh\nexec '${process.execPath}' '${stage.svc}' "$@"\n`, {
    mode: 0o755,
  });
  const env = stage.environment({ PATH: `${bin}:${process.env['PATH'] ?? ''}` });
  stage.once(['banks', '--country', 'VE'], env);
  stage.once(['methods', '--country', 'VE'], env);
  yield paired({
    what: '`svc completion bash`, once a shell',
    command: process.execPath,
    args: [stage.svc, 'completion', 'bash'],
    env,
  });
  for (const [shell, { args, load }] of Object.entries(SHELLS)) {
    if (!isInstalled(shell)) continue;
    const file = join(stage.folder, `completion.${shell}`);
    writeFileSync(file, stage.once(['completion', shell], env));
    const terminal = openTerminal(shell, args, env);
    try {
      terminal.type(`${load(file)}; echo load''ed\r`);
      await terminal.shows(/(^|\n)loaded/);
      /** @type {number[]} */
      const taken = [];
      /** @type {number[]} */
      const ratios = [];
      for (let round = -WARM_UP; round < N; round += 1) {
        const emptyMs = emptyStartMs(env);
        const tookMs = await answerMs(terminal);
        if (round < 0) continue;
        taken.push(tookMs);
        ratios.push(tookMs / emptyMs);
      }
      const what = `TAB in ${shell}`;
      yield { what, unit: 'ms', goal: { atMost: 150 }, ...spread(taken, 2) };
      yield { what: `${what}, beside an empty start`, unit: 'empty starts', ...spread(ratios, 2) };
    } finally {
      terminal.end();
    }
  }
}

/** @param {ReturnType<typeof openTerminal>} terminal */
async function answerMs({ type, shows }) {
  type(LINE.typed);
  await shows(/--inter/);
  const startedMs = performance.now();
  type('\t');
  await shows(new RegExp(LINE.completed));
  const tookMs = performance.now() - startedMs;
  type('\x15\r');
  await shows(/ready>/);
  return tookMs;
}

/** @param {string} shell @param {string[]} args @param {NodeJS.ProcessEnv} env */
function openTerminal(shell, args, env) {
  const prompt = shell === 'fish' ? ['-C', 'function fish_prompt; echo -n "ready> "; end'] : [];
  const pty = spawn(shell, [...args, ...prompt], {
    cols: 120,
    rows: 40,
    env: { ...env, TERM: 'xterm', PS1: 'ready> ' },
  });
  let shown = '';
  /** @type {(() => void) | null} */
  let look = null;
  pty.onData((data) => {
    shown += data;
    look?.();
  });
  return {
    end: () => pty.kill('SIGKILL'),
    /** @param {string} keys */
    type: (keys) => {
      shown = '';
      pty.write(keys);
    },
    /** @param {RegExp} pattern */
    shows: (pattern) =>
      new Promise((/** @type {(value: void) => void} */ resolve) => {
        look = () => {
          if (pattern.test(shown.replace(ESCAPES, '').replaceAll('\r', ''))) resolve();
        };
        look();
      }),
  };
}
