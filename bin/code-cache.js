/** Keeps compiled code in a folder of the user's own: what lies there is run, so nobody else may be able to write it. */
'use strict';

const { lstatSync, mkdirSync, statSync } = require('node:fs');
const { join } = require('node:path');

const OTHERS_WRITE = 0o022;
const STICKY = 0o1000;
const NOT_PRIVATE = 0o077;
const ROOT = 0;

/**
 * Turns Node's cache on, before anything is loaded. It never falls back to the temporary folder, where anybody may have put one
 * first: without a folder that is surely the user's there is no cache. A NODE_COMPILE_CACHE of the user's own stands.
 */
exports.keepCompiledCode = function keepCompiledCode(env = process.env, userId = process.geteuid?.()) {
  const folder = ownFolder(env, userId);
  if (folder !== null) require('node:module').enableCompileCache(folder);
};

/** The folder, made where it is missing; null where it can't be, or where it could be somebody else's. */
function ownFolder(env, userId) {
  const base = cacheHome(env);
  if (base === null || userId === undefined) return null;
  try {
    mkdirSync(base, { recursive: true, mode: 0o700 });
    if (!isSafeAbove(statSync(base), userId)) return null;
    let path = base;
    for (const name of ['svc', 'compiled']) {
      path = join(path, name);
      mkdirIfMissing(path);
      const stats = lstatSync(path);
      if (!stats.isDirectory() || stats.uid !== userId || (stats.mode & NOT_PRIVATE) !== 0) return null;
    }
    return path;
  } catch {
    return null;
  }
}
exports.ownFolder = ownFolder;

/** As src/runtime/folders.ts has it; relative values are ignored. */
function cacheHome(env) {
  if (env.XDG_CACHE_HOME?.startsWith('/')) return env.XDG_CACHE_HOME;
  const home = env.HOME ?? require('node:os').homedir();
  return home.startsWith('/') ? join(home, '.cache') : null;
}

/** Nobody else can put another folder in the place of ours: the folder above is the user's or root's, and theirs alone to change. */
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
