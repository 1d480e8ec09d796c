'use strict';

const vm = require('node:vm');
const { compiledFor } = require('./compiled.js');

exports.WRAPPER = ['(function(require,module,exports,__svc){\n', '\n})'];

/**
 * @param {import('./files.js')} files
 * @param {{ compiled?: ReturnType<typeof compiledFor>, id?: string }} options
 * @returns {{ load(name: string): any, id: string }}
 */
exports.openProgram = function openProgram(files, { compiled, id } = {}) {
  const pack = files.open('svc.pack');
  if (id !== undefined && id !== pack.facts.id)
    throw new Error('svc was replaced by another one while it ran');
  const known = compiled ?? compiledFor(files, pack);
  const loaded = new Map();
  const given = { asset: files.asset };
  const compile = (part) => {
    const cachedData = known.get(part);
    const script = new vm.Script(pack.get(part).latin1Slice(), { filename: `svc:${part}`, cachedData });
    known.took(part, script, cachedData === undefined || script.cachedDataRejected === true);
    return script.runInThisContext();
  };
  const grouped = new Map(
    (pack.facts.groups ?? []).flatMap((names) => names.map((name, at) => [name, { part: names[0], at }])),
  );
  const compiledGroups = new Map();
  const functionOf = (name) => {
    const group = grouped.get(name);
    if (group === undefined) return compile(name);
    if (!compiledGroups.has(group.part)) compiledGroups.set(group.part, compile(group.part));
    return compiledGroups.get(group.part)[group.at];
  };
  const load = (name) => {
    const before = loaded.get(name);
    if (before !== undefined) return before.exports;
    const module = { exports: {} };
    const chunk = functionOf(name);
    const wanted = (path) => (path.startsWith('.') ? load(resolve(name, path)) : files.require(path));
    loaded.set(name, module);
    try {
      chunk(wanted, module, module.exports, given);
    } catch (error) {
      loaded.delete(name);
      throw error;
    }
    return module.exports;
  };
  return { load, id: pack.facts.id };
};

/** @param {string} from @param {string} id */
function resolve(from, id) {
  const path = from.split('/').slice(0, -1);
  for (const step of id.split('/')) {
    if (step === '..') path.pop();
    else if (step !== '.') path.push(step);
  }
  return path.join('/');
}
