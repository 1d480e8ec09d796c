/** Prepares the process and loads the program: everything that must happen before the first module of it does. */
'use strict';

// Libraries print arguments and environments under DEBUG=*: nothing may see it.
delete process.env.DEBUG;
if (process.env.NODE_DEBUG) silenceNode();

const { answerTo, print } = require('./pages.js');

/** @param {import('./files.js')} files where the parts of the program are */
exports.begin = function begin(files) {
  // Maps are read when a defect is printed and never before: Node itself reads the stacks of errors that nobody sees.
  const mapStack = (stack) => require('./stack.js').mapperOf(files)(stack);
  let program;
  const load = (chunk) => (program ??= require('./program.js').openProgram(files)).load(chunk);
  try {
    const answer = answerTo(process.argv.slice(2), { files, load });
    if (answer !== undefined && print(answer)) return;
    prepare();
    const { start } = load('main.js');
    start({ mapStack, thread: files.thread(program.id) }).catch((error) => fail(error, mapStack));
  } catch (error) {
    fail(error, mapStack);
  }
};

/** What libraries would stumble over, or say, as they are loaded. */
function prepare() {
  if (process.env.HOME === undefined) nameNoHome();
  if (/^2[2-5]\./.test(process.versions.node)) silenceSqliteWarning();
}

function fail(error, mapStack) {
  process.exitCode = 1;
  process.stderr.write(`${reasonOf(error) ?? mapStack(String(error?.stack ?? error))}\n`);
}

/** What a person can mend; undefined for a defect. */
function reasonOf(error) {
  return error?.name === 'Damaged' ? error.message : undefined;
}

/** Libraries ask for the home as they are loaded, and end with a stack where the account has none, as in many containers. */
function nameNoHome() {
  try {
    require('node:os').homedir();
  } catch {
    process.env.HOME = '';
  }
}

/** Under NODE_DEBUG, Node prints what passes through its streams and what it starts: keys, codes and accounts. `--debug` masks them. */
function silenceNode() {
  const write = process.stderr.write;
  // How every such message begins: its section, and the id of the process.
  const isNodes = new RegExp(`^[A-Z0-9_]+ \\S*${process.pid}\\S*: `);
  process.stderr.write = function (chunk, ...rest) {
    return typeof chunk === 'string' && isNodes.test(chunk) ? true : write.call(this, chunk, ...rest);
  };
}

/** Node before 24.15 calls its SQLite experimental on standard error; every other warning stays. */
function silenceSqliteWarning() {
  const emitWarning = process.emitWarning;
  process.emitWarning = function (warning, ...rest) {
    if (rest[0] === 'ExperimentalWarning' && String(warning).startsWith('SQLite')) return;
    emitWarning.call(process, warning, ...rest);
  };
}
