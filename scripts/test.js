/**
 * Runs the tests of a tier: `npm test` those that start nothing, `npm run test:all` everything but soak (`-- --rest` leaves the first tier out,
 * `-- --times` says which twenty files took longest), `npm run test:soak` what kills for hours (`-- --short` for minutes). Other words go to
 * vitest.
 */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';

const ROOT = dirname(import.meta.dirname);
const [tier = 'quick', ...words] = process.argv.slice(2);
/** @param {string} flag */
const isGiven = (flag) => words.includes(flag);
const others = words.filter((word) => !['--rest', '--times', '--short'].includes(word));
const env = {
  ...process.env,
  TIER: tier === 'all' && isGiven('--rest') ? 'rest' : tier,
  ...(tier === 'soak' && !isGiven('--short') && { SOAK: '1' }),
};
const reporters = isGiven('--times')
  ? ['--reporter=default', `--reporter=${join(ROOT, 'scripts', 'test', 'times.js')}`]
  : [];

// Programs are started from `dist/`; the first tier starts none.
if (tier !== 'quick') run('scripts/build.js', '--if-stale');
run('node_modules/vitest/vitest.mjs', 'run', ...reporters, ...others);

/** @param {string} program @param {...string} given */
function run(program, ...given) {
  const { status } = spawnSync(process.execPath, [join(ROOT, program), ...given], { stdio: 'inherit', env });
  if (status !== 0) process.exit(status ?? 1);
}
