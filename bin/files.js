'use strict';

const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const DIST = join(__dirname, '..', 'dist');

exports.version = () => require('../package.json').version;

exports.open = (name, options) => require('./container.js').openFile(join(DIST, name), options);

exports.asset = (name) => readFileSync(join(DIST, name));

/** @param {string} pack */
exports.thread = (pack) => ({ source: join(DIST, 'thread.cjs'), isCode: false, pack });

exports.require = require;
