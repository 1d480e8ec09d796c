'use strict';

const { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, statSync } = require('node:fs');
const { join } = require('node:path');

const OTHERS_WRITE = 0o022;
const STICKY = 0o1000;
const NOT_PRIVATE = 0o077;
const ROOT = 0;

/** Throws if the file is a link, or if another user can open it. */
exports.openOwn = function openOwn(path) {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  const { uid, mode } = fstatSync(file);
  if (uid === process.geteuid() && (mode & NOT_PRIVATE) === 0) return file;
  closeSync(file);
  throw new Error(`${path} is not private`);
};

exports.ownFolder = function ownFolder(name, env = process.env, userId = process.geteuid?.() ?? null) {
  const base = cacheHome(env);
  if (base === null || userId === null) return null;
  try {
    // Not recursive: below /proc, Node would try forever.
    mkdirIfMissing(base);
    if (!isSafeAbove(statSync(base), userId)) return null;
    let path = base;
    for (const step of ['svc', name]) {
      path = join(path, step);
      mkdirIfMissing(path);
      const stats = lstatSync(path);
      if (!stats.isDirectory() || stats.uid !== userId || (stats.mode & NOT_PRIVATE) !== 0) return null;
    }
    return path;
  } catch {
    return null;
  }
};

/** SVC_HOME is ignored, because compiled code is the same beside a sandbox. */
function cacheHome(env) {
  if (env.XDG_CACHE_HOME?.startsWith('/')) return env.XDG_CACHE_HOME;
  const home = env.HOME ?? require('node:os').homedir();
  return home.startsWith('/') ? join(home, '.cache') : null;
}

function isSafeAbove({ uid, mode }, userId) {
  return (uid === userId || uid === ROOT) && ((mode & OTHERS_WRITE) === 0 || (mode & STICKY) !== 0);
}

function mkdirIfMissing(path) {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
}
