/** Prepares the process and loads the program: everything that must happen before the first module of it does. */
'use strict';

// Libraries print arguments and environments under DEBUG=*: nothing may see it.
delete process.env.DEBUG;
if (process.env.NODE_DEBUG) silenceNode();

const { answerTo, print } = require('./pages.js');
const answer = answerTo(process.argv.slice(2));
if (answer === undefined) load();
else
  Promise.resolve(answer).then(
    (text) => print(text) || load(),
    () => load(),
  );

function load() {
  if (process.env.HOME === undefined) nameNoHome();
  require('./code-cache.js').keepCompiledCode();
  if (process.env.SVC_LAUNCHER !== undefined) require('./lifeline.js').hold();
  if (process.versions.node.startsWith('22.')) silenceSqliteWarning();

  // Maps are read when a defect is printed and never before: Node itself reads the stacks of errors that nobody sees.
  const mapStack = (stack) => require('./stack.js').mapped(stack);

  import('../dist/main.js')
    .then((main) => main.start(mapStack))
    .catch((error) => {
      const isUnbuilt = error?.code === 'ERR_MODULE_NOT_FOUND' && error.message.includes("dist/main.js'");
      process.stderr.write(
        isUnbuilt
          ? 'svc is not built yet: run `npm run build`.\n'
          : `${mapStack(String(error?.stack ?? error))}\n`,
      );
      process.exitCode = 1;
    });
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

/** Node 22 calls its SQLite experimental on standard error; every other warning stays. */
function silenceSqliteWarning() {
  const emitWarning = process.emitWarning;
  process.emitWarning = function (warning, ...rest) {
    if (rest[0] === 'ExperimentalWarning' && String(warning).startsWith('SQLite')) return;
    emitWarning.call(process, warning, ...rest);
  };
}
