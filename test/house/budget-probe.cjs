/** Preloaded into the program: says at its end which files of dist/ and which of Node's own modules it has loaded. */
'use strict';

const { writeFileSync } = require('node:fs');
const { registerHooks } = require('node:module');

/** @type {string[]} */
const files = [];
registerHooks({
  load(url, context, next) {
    files.push(url);
    return next(url, context);
  },
});
process.on('exit', () => {
  /** @type {string[]} */
  const list = Reflect.get(process, 'moduleLoadList');
  const builtins = list.map((name) => name.replace(/^\w+ (Module )?/, ''));
  writeFileSync(String(process.env['BUDGET_FILE']), JSON.stringify({ files, builtins }));
});
