/** Usage: `npm run house`. With `--list`, also prints the files and names. */
import { dirname } from 'node:path';
import { loadBuilt } from './build/program.js';
import { circlesOf, filesOf, importersOf } from './house/shape.js';
import { walkOfCreate } from './house/walk.js';

const ROOT = dirname(import.meta.dirname);
const SCREEN = { isTTY: true, columns: 80, env: {}, noColour: true };
const SHORT_LINES = 40;

const files = filesOf(ROOT);
const importers = importersOf(files);
const single = files.filter(({ path }) => importers.get(path) === 1);
// The commands of a noun are in their own file, however few they are, because the registry loads each noun alone.
const short = single.filter(({ path, lines }) => lines < SHORT_LINES && !path.endsWith('commands.ts'));
const walk = await walkOfCreate(
  ROOT,
  files.map(({ path }) => path),
);
const circles = circlesOf(files);
const lengths = files.map(({ lines }) => lines).sort((a, b) => a - b);

async function linesOfHelp() {
  const { helpPage } = loadBuilt(ROOT, 'main.js');
  const { renderPage } = loadBuilt(ROOT, 'command/help/layout.js');
  const ids = Object.keys(await loadBuilt(ROOT, 'all.js').allCommands());
  const pages = await Promise.all(ids.map((id) => helpPage(id.replaceAll(':', ' '))));
  return pages.reduce((sum, page) => sum + renderPage(page, SCREEN).split('\n').length - 1, 0);
}

/** @type {readonly [what: string, count: number, which?: readonly string[], goal?: number, why?: string][]} */
const ROWS = [
  [
    'files of src',
    files.length,
    [],
    430,
    'what is left to merge stands on two floors, is loaded apart, or is two thoughts',
  ],
  ['  with one importer', single.length],
  [`  of those under ${String(SHORT_LINES)} lines`, short.length, short.map(({ path }) => path), 0],
  [
    'files that `svc payouts create` runs through, to the wire and back',
    walk.length,
    walk,
    60,
    'each is a thought of its own: 65 could be had, by files that hold two',
  ],
  ['circles of imports, of types too', circles.length, circles.map((circle) => circle.join(' ')), 0],
  ['median of lines', lengths[Math.floor(lengths.length / 2)] ?? 0],
  ['lines of help, all commands, at 80 columns', await linesOfHelp(), [], 1600],
  [
    'lines of src',
    lengths.reduce((sum, lines) => sum + lines, 0),
    [],
    62_000,
    'what is said twice was looked for, and came to 300 lines more; the rest is behaviour',
  ],
];

const width = Math.max(...ROWS.map(([what]) => what.length));
for (const [what, count, , goal, why] of ROWS) {
  const wanted = goal === undefined ? '' : `  goal: ${goal.toLocaleString('en')}`;
  console.log(`${what.padEnd(width)}  ${count.toLocaleString('en').padStart(6)}${wanted}`);
  if (goal !== undefined && count > goal && why !== undefined) console.log(`    ${why}`);
}
if (process.argv.includes('--list')) {
  for (const [what, , which = []] of ROWS) {
    if (which.length > 0) console.log(`\n${what.trim()}\n${which.map((one) => `  ${one}`).join('\n')}`);
  }
}
