'use strict';

const sea = require('node:sea');

const asset = (name) => Buffer.from(sea.getRawAsset(name));

exports.version = () => require('../../package.json').version;

exports.open = (name, options) => {
  const bytes = asset(name);
  const bytesAt = (at, length) => bytes.subarray(at, at + length);
  return require('../container.js').open(`${process.execPath} (${name})`, bytesAt, options);
};

exports.asset = asset;

exports.thread = (pack) => ({
  get source() {
    return asset('thread.cjs').toString();
  },
  isCode: true,
  pack,
});

exports.require = (id) => (id === '@napi-rs/keyring' ? keyring() : require(id));

/** Native code can be opened only as a file, which no other user may be able to write. */
function keyring() {
  const { closeSync, readFileSync, renameSync, rmSync, writeFileSync } = require('node:fs');
  const { join } = require('node:path');
  const { openOwn, ownFolder } = require('../private.js');
  const bytes = asset('keyring.node');
  const folder = ownFolder('native');
  if (folder === null) throw new Error('no folder for native code that is surely the user’s own');
  const { createHash } = require('node:crypto');
  const path = join(folder, `${createHash('sha256').update(bytes).digest('hex')}.node`);
  if (!isThere(path, bytes)) {
    const aside = `${path}.${process.pid}`;
    // An earlier process with the same id may have left this file.
    rmSync(aside, { force: true });
    try {
      writeFileSync(aside, bytes, { mode: 0o700, flag: 'wx' });
      renameSync(aside, path);
    } finally {
      rmSync(aside, { force: true });
    }
  }
  const module = { exports: {} };
  process.dlopen(module, path);
  return module.exports;

  function isThere(path, expected) {
    let file;
    try {
      file = openOwn(path);
      return readFileSync(file).equals(expected);
    } catch {
      return false;
    } finally {
      if (file !== undefined) closeSync(file);
    }
  }
}
