/**
 * Usage: `npm test`, `npm run test:all -- --rest --times`, `npm run test:soak -- --short`. Words choose files by parts
 * of their paths. Flags go to vitest.
 */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { tiersOfTests } from './test/tiers.js';

const ROOT = dirname(import.meta.dirname);
const OURS = ['--rest', '--times', '--short'];
const COMMANDS = {
  quick: 'npm test',
  rest: 'npm run test:all',
  soak: 'npm run test:soak',
  house: 'npm run check',
};

const [tier = 'quick', ...words] = process.argv.slice(2);
/** @param {string} flag */
const isGiven = (flag) => words.includes(flag);
const tiers = tier === 'all' ? (isGiven('--rest') ? ['rest'] : ['quick', 'rest']) : [tier];
const given = words.filter((word) => !OURS.includes(word));
const paths = given.filter(
  (word, at) => !word.startsWith('-') && !/^--?[a-zA-Z]+$/.test(given[at - 1] ?? ''),
);
const flags = given.filter((word) => !paths.includes(word));

const named = [...tiersOfTests()].filter(
  ([path]) => paths.length === 0 || paths.some((part) => path.includes(part.replace(/^\.\//, ''))),
);
const files = named.flatMap(([path, its]) => (its.some((one) => tiers.includes(one)) ? [path] : []));
if (files.length === 0) {
  const others = [...new Set(named.flatMap(([, its]) => its))].map((one) => COMMANDS[one]);
  console.error(
    `None of these tests is in ${paths.join(' ')}.${others.length > 0 ? ` Those there run in: ${others.join(', ')}` : ''}`,
  );
  process.exit(1);
}

// Tests start programs from `dist/`. The tests of the first tier start no program.
if (tier !== 'quick') run('scripts/build.js', '--if-stale');
const reporters = isGiven('--times')
  ? ['--reporter=default', `--reporter=${join(ROOT, 'scripts', 'test', 'times.js')}`]
  : [];
run('node_modules/vitest/vitest.mjs', 'run', ...reporters, ...flags, ...files);

/** @param {string} program @param {...string} args */
function run(program, ...args) {
  const env = {
    ...process.env,
    TIER: tiers.join(' '),
    ...(tier === 'soak' && !isGiven('--short') && { SOAK: '1' }),
  };
  const { status } = spawnSync(process.execPath, [join(ROOT, program), ...args], { stdio: 'inherit', env });
  if (status !== 0) process.exit(status ?? 1);
}
