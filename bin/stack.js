'use strict';

/** @param {import('./files.js')} files @returns {(stack: string) => string} */
exports.mapperOf = function mapperOf(files) {
  const maps = new Map();
  const mapOf = (chunk) => {
    if (!maps.has(chunk)) maps.set(chunk, readMap(files, chunk));
    return maps.get(chunk);
  };
  return (stack) =>
    stack.replace(/svc:([\w./-]+):(\d+):(\d+)/g, (text, chunk, line, column) => {
      const origin = mapOf(chunk)?.findEntry(Number(line) - 1, Number(column) - 1);
      if (origin?.originalSource === undefined) return text;
      return `${origin.originalSource}:${origin.originalLine + 1}:${origin.originalColumn + 1}`;
    });
};

function readMap(files, chunk) {
  try {
    const { SourceMap } = require('node:module');
    return new SourceMap(JSON.parse(files.open('svc.maps').get(chunk).toString()));
  } catch {
    return undefined;
  }
}
