/**
 * What V8 made of the chunks before, so that a start need not compile them again. V8 believes such bytes blindly and a damaged one ends the
 * process, so they are believed only where they are known to be right: the build's own for the Node it was built with, and for another Node
 * those that this user's earlier starts left in a folder that nobody else can write. Never a shared one: what lies there is run.
 */
'use strict';

const {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} = require('node:fs');
const { join } = require('node:path');
const container = require('./container.js');

const OTHERS_WRITE = 0o022;
const STICKY = 0o1000;
const NOT_PRIVATE = 0o077;
const ROOT = 0;
/** Of other Nodes and other versions of svc: the newest that are kept. */
const KEPT = 4;

/** What the bytes hold for, and nothing else. @param {string} pack the id of the pack */
exports.factsOf = function factsOf(pack) {
  const { version, arch, platform } = process;
  return { pack, node: version, arch, platform };
};

/**
 * @param {import('./files.js')} files
 * @param {ReturnType<typeof container.open>} pack
 * @returns {{ get(chunk: string): Buffer | undefined, took(chunk: string, script: import('node:vm').Script, isNew: boolean): void }}
 *   `took` is told of every script, and whether it had to be compiled
 */
exports.compiledFor = function compiledFor(files, pack) {
  const facts = exports.factsOf(pack.facts.id);
  const built = opened(() => files.open('svc.cache'), facts);
  if (built !== null) return { get: (chunk) => partOf(built, chunk), took: () => undefined };
  return ownCache(facts);
};

/** The one of this user, and what it lacks is added when the process ends. */
function ownCache(facts) {
  const folder = ownFolder(process.env, process.geteuid?.());
  if (folder === null) return { get: () => undefined, took: () => undefined };
  const path = join(folder, `${facts.pack}-${facts.node}-${facts.platform}-${facts.arch}`);
  const before = opened(() => openOwn(path), facts);
  const scripts = new Map();
  process.once('exit', () => scripts.size > 0 && keep(path, facts, before, scripts));
  return {
    get: (chunk) => (before === null ? undefined : partOf(before, chunk)),
    took(chunk, script, isNew) {
      if (isNew) scripts.set(chunk, script);
    },
  };
}

/** Null for one that is not there, is damaged, or was made for something else. */
function opened(open, facts) {
  try {
    const cache = open();
    return JSON.stringify(cache.facts) === JSON.stringify(facts) ? cache : null;
  } catch {
    return null;
  }
}

function partOf(cache, chunk) {
  try {
    return cache.has(chunk) ? cache.get(chunk) : undefined;
  } catch {
    return undefined;
  }
}

/** A file that is the user's alone, whatever the folder says: not a link, and open to nobody else. */
function openOwn(path) {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  const { uid, mode } = fstatSync(file);
  if (uid !== process.geteuid() || (mode & NOT_PRIVATE) !== 0) {
    closeSync(file);
    throw new Error('not private');
  }
  return container.open(path, (at, length) => {
    const bytes = Buffer.allocUnsafeSlow(length);
    return bytes.subarray(0, readSync(file, bytes, 0, length, at));
  });
}

/** Written aside and renamed: of two first starts at once the later one's stays. No disk, no cache: a start without it is only slower. */
function keep(path, facts, before, scripts) {
  const aside = `${path}.${process.pid}`;
  try {
    const parts = new Map();
    for (const chunk of before?.names() ?? []) {
      const bytes = scripts.has(chunk) ? undefined : partOf(before, chunk);
      if (bytes !== undefined) parts.set(chunk, bytes);
    }
    for (const [chunk, script] of scripts) parts.set(chunk, script.createCachedData());
    writeFileSync(aside, container.write(facts, parts), { mode: 0o600, flag: 'wx' });
    renameSync(aside, path);
    forgetOld(join(path, '..'));
  } catch {
    try {
      rmSync(aside, { force: true });
    } catch {
      // It can't be removed where it could not be written either.
    }
  }
}

function forgetOld(folder) {
  const entries = readdirSync(folder).map((name) => ({
    path: join(folder, name),
    ms: lstatSync(join(folder, name)).mtimeMs,
  }));
  for (const { path } of entries.sort((a, b) => b.ms - a.ms).slice(KEPT))
    rmSync(path, { recursive: true, force: true });
}

/** The folder, made where it is missing; null where it can't be, or where it could be somebody else's. */
function ownFolder(env, userId) {
  const base = cacheHome(env);
  if (base === null || userId === undefined) return null;
  try {
    // Not with what is above it: below /proc, Node would try for ever.
    mkdirIfMissing(base);
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
