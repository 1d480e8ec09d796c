/** Prints an error's stack with the places in src/ that the bundled code came from. */
'use strict';

const { readFileSync } = require('node:fs');
const { SourceMap } = require('node:module');
const { dirname, join, sep } = require('node:path');
const { fileURLToPath } = require('node:url');

const ROOT = dirname(__dirname);
const maps = new Map();

/** The text of `error.stack`; where a map can't be had, the frame as it is. */
exports.print = function print(error, frames) {
  const lines = frames.map((frame) => `\n    at ${place(frame)}`);
  return `${heading(error)}${lines.join('')}`;
};

function heading(error) {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return 'Error';
  }
}

function place(frame) {
  const text = String(frame);
  const name = frame.getFileName();
  if (!name?.startsWith('file:')) return text;
  const file = fileURLToPath(name);
  if (!file.startsWith(join(ROOT, 'dist') + sep)) return text;
  const line = frame.getLineNumber();
  const column = frame.getColumnNumber();
  const origin = mapOf(file)?.findEntry(line - 1, column - 1);
  if (origin?.originalSource === undefined) return text;
  const source = join(dirname(file), origin.originalSource);
  return text.replace(
    `${name}:${line}:${column}`,
    `${source}:${origin.originalLine + 1}:${origin.originalColumn + 1}`,
  );
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
