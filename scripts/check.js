/** Usage: `npm run check`. Stops at the first step that fails. */
import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';

/** @type {[name: string, command: string][]} */
const STEPS = [
  ['format', 'prettier --check --log-level warn .'],
  ['lint', 'eslint --cache --cache-location node_modules/.cache/eslint/ .'],
  ['types', 'npm run --silent types'],
  ['build', 'node scripts/build.js'],
  ['generated files', 'node scripts/docs.js --check'],
  ['house', 'node scripts/test.js house'],
];

for (const [name, command] of STEPS) {
  const startedMs = performance.now();
  console.log(`\n== ${name}: ${command}`);
  const { status, signal } = spawnSync(command, {
    cwd: dirname(import.meta.dirname),
    shell: true,
    stdio: 'inherit',
  });
  if (status !== 0) {
    console.error(`== ${name}: failed (${signal ?? status})`);
    process.exit(1);
  }
  console.log(`== ${name}: ok, ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
}
