/** Preloaded into the program: says at its end which files of dist/ and which of Node's own modules it has loaded. */
'use strict';

const { writeFileSync } = require('node:fs');
const { registerHooks } = require('node:module');

const files = [];
registerHooks({
  load(url, context, next) {
    files.push(url);
    return next(url, context);
  },
});
process.on('exit', () => {
  const builtins = process.moduleLoadList.map((name) => name.replace(/^\w+ (Module )?/, ''));
  writeFileSync(process.env.BUDGET_FILE, JSON.stringify({ files, builtins }));
});
