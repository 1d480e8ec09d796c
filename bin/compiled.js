/**
 * Damaged bytecode ends the process. So V8 gets only bytecode of the build, or bytecode from a folder that no other
 * user can write.
 */
'use strict';

const { lstatSync, readdirSync, renameSync, rmSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const container = require('./container.js');
const { openOwn, ownFolder } = require('./private.js');

/** Four files stay, one for each Node and each version of svc. */
const KEPT = 4;

/** @param {string} pack */
exports.factsOf = function factsOf(pack) {
  const { version, arch, platform } = process;
  return { pack, node: version, arch, platform };
};

/**
 * @param {import('./files.js')} files
 * @param {ReturnType<typeof container.open>} pack
 * @returns {{ get(chunk: string): Buffer | undefined, took(chunk: string, script: import('node:vm').Script, isNew: boolean): void }}
 */
exports.compiledFor = function compiledFor(files, pack) {
  const facts = exports.factsOf(pack.facts.id);
  const built = opened(() => files.open('svc.cache'), facts);
  if (built !== null) return { get: (chunk) => partOf(built, chunk), took: () => undefined };
  return ownCache(facts);
};

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

/** Writes another file and renames it, so that a start never reads half a file. */
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
      // A file that could not be written may not be removable either.
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
