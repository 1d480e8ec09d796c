/** Prints an error's stack with the places in src/ that the bundled code came from. */
'use strict';

const { readFileSync } = require('node:fs');
const { SourceMap } = require('node:module');
const { dirname, join, sep } = require('node:path');
const { fileURLToPath } = require('node:url');

const ROOT = dirname(__dirname);
const maps = new Map();

/** A stack as `error.stack` holds it; where a map can't be had, the frame as it is. */
exports.mapped = function mapped(stack) {
  return stack.replace(/(file:\/\/[^\s()]+):(\d+):(\d+)/g, place);
};

function place(text, url, line, column) {
  const file = fileURLToPath(url);
  if (!file.startsWith(join(ROOT, 'dist') + sep)) return text;
  const origin = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1);
  if (origin?.originalSource === undefined) return text;
  const source = join(dirname(file), origin.originalSource);
  return `${source}:${origin.originalLine + 1}:${origin.originalColumn + 1}`;
}

function mapOf(file) {
  if (!maps.has(file)) maps.set(file, readMap(`${file}.map`));
  return maps.get(file);
}

function readMap(path) {
  try {
    return new SourceMap(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}
