'use strict';

const { writeFileSync } = require('node:fs');
const vm = require('node:vm');

/** @type {string[]} */
const files = [];
/** @type {string[]} */
const rejected = [];
vm.Script = class extends vm.Script {
  /** @param {string} code @param {vm.ScriptOptions} options */
  constructor(code, options) {
    super(code, options);
    if (options.filename?.startsWith('svc:') !== true) return;
    files.push(options.filename.slice('svc:'.length));
    if (this.cachedDataRejected === true) rejected.push(options.filename);
  }
};
process.on('exit', () => {
  /** @type {string[]} */
  const list = Reflect.get(process, 'moduleLoadList');
  const builtins = list.map((name) => name.replace(/^\w+ (Module )?/, ''));
  writeFileSync(String(process.env['BUDGET_FILE']), JSON.stringify({ files, rejected, builtins }));
});
