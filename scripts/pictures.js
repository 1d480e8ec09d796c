/** Usage: `node scripts/pictures.js`, or with the names of some pictures. Needs tmux and a build. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openScreen } from './pictures/screen.js';
import { pictureOf } from './pictures/svg.js';

const ROOT = dirname(import.meta.dirname);
const COLUMNS = 80;
const named = process.argv.slice(2);
const screen = openScreen(join(ROOT, 'bin', 'run.js'), COLUMNS);

/** @param {string} name @param {RegExp} pattern */
async function take(name, pattern) {
  const picture = pictureOf(await screen.shows(pattern), COLUMNS);
  if (named.length > 0 && !named.includes(name)) return;
  await mkdir(join(ROOT, 'docs/pictures'), { recursive: true });
  await writeFile(join(ROOT, 'docs/pictures', `${name}.svg`), picture);
  console.log(`docs/pictures/${name}.svg`);
}

/** @param {string} line */
function run(line) {
  screen.type(line);
  screen.press('Enter');
}

try {
  await screen.clear();
  run('svc payins create --method debit_otp --country VE --amount 150.00');
  await screen.shows(/Document type/);
  screen.press('Enter');
  await screen.shows(/Document number \(3/);
  screen.type('12345678');
  await screen.shows(/12345678_ ok/);
  screen.press('Enter');
  await screen.shows(/Banesco/);
  screen.type('ban');
  await take('bank', /> ban_/);
  screen.press('Enter');
  await screen.shows(/Phone \(5/);
  screen.type('04121234567');
  await screen.shows(/04121234567_ ok/);
  screen.press('Enter');
  await take('summary', /Sent to[^]*Esc: leave/);
  screen.press('Enter');
  await screen.shows(/left\./);
  screen.type('123456');
  await take('code', /Code: 123456_/);
  screen.press('Enter');
  await take('outcome', /Updated[^]*\$\s*$/);
  await screen.clear();
  run('svc doctor');
  await take('doctor', /requests[^]*\$\s*$/);
  await screen.clear();
  run('svc banks --country VE --method debit_otp 2>/dev/null');
  await take('banks', /Banesco[^]*\$\s*$/);
} finally {
  screen.close();
}
