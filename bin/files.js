/** Where the built program lies when it is installed as a package or runs from a clone: `dist/`, beside this folder. */
'use strict';

const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const DIST = join(__dirname, '..', 'dist');

exports.version = () => require('../package.json').version;

/** A file of many parts, `svc.pack` for one. @throws container.Damaged, or as the file system says */
exports.open = (name, options) => require('./container.js').openFile(join(DIST, name), options);

/** A file that a library reads whole. */
exports.asset = (name) => readFileSync(join(DIST, name));

/** What a thread of the program begins with. @param {string} pack the id of the pack that it has to take */
exports.thread = (pack) => ({ source: join(DIST, 'thread.cjs'), isCode: false, pack });

/** What is not in the pack: Node's own modules, and the key store, which is native. */
exports.require = require;
