/**
 * What V8 made of the chunks before, so that a start need not compile them again. V8 believes such bytes blindly and a damaged one ends the
 * process, so they are believed only where they are known to be right: the build's own for the Node it was built with, and for another Node
 * those that this user's earlier starts left in a folder that nobody else can write. Never a shared one: what lies there is run.
 */
'use strict';

const { lstatSync, readdirSync, renameSync, rmSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const container = require('./container.js');
const { openOwn, ownFolder } = require('./private.js');

/** As many are kept, one for each Node and each version of svc: those that were written last. */
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
  const folder = ownFolder('compiled');
  if (folder === null) return { get: () => undefined, took: () => undefined };
  const path = join(folder, `${facts.pack}-${facts.node}-${facts.platform}-${facts.arch}`);
  const before = opened(() => container.openFile(path, { file: openOwn(path) }), facts);
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
