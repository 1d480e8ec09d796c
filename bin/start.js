'use strict';

// Under DEBUG=*, libraries print arguments and environments.
delete process.env.DEBUG;
if (process.env.NODE_DEBUG) silenceNode();

const { answerTo, print } = require('./pages.js');

/** @param {import('./files.js')} files */
exports.begin = function begin(files) {
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

function prepare() {
  if (process.env.HOME === undefined) nameNoHome();
  if (/^2[2-5]\./.test(process.versions.node)) silenceSqliteWarning();
}

function fail(error, mapStack) {
  process.exitCode = 1;
  process.stderr.write(`${reasonOf(error) ?? mapStack(String(error?.stack ?? error))}\n`);
}

function reasonOf(error) {
  return error?.name === 'Damaged' ? error.message : undefined;
}

/** Libraries ask for the home directory when they are loaded, and fail if the account has none, as in many containers. */
function nameNoHome() {
  try {
    require('node:os').homedir();
  } catch {
    process.env.HOME = '';
  }
}

/** Under NODE_DEBUG, Node prints keys, codes and accounts. */
function silenceNode() {
  const write = process.stderr.write;
  // Each message of Node begins with its section and the process id.
  const isNodes = new RegExp(`^[A-Z0-9_]+ \\S*${process.pid}\\S*: `);
  process.stderr.write = function (chunk, ...rest) {
    return typeof chunk === 'string' && isNodes.test(chunk) ? true : write.call(this, chunk, ...rest);
  };
}

/** Node before 24.15 warns that SQLite is experimental. Every other warning stays. */
function silenceSqliteWarning() {
  const emitWarning = process.emitWarning;
  process.emitWarning = function (warning, ...rest) {
    if (rest[0] === 'ExperimentalWarning' && String(warning).startsWith('SQLite')) return;
    emitWarning.call(process, warning, ...rest);
  };
}
