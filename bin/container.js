/** Each part has a checksum, which shows that a file was cut short. */
'use strict';

const { openSync, readSync } = require('node:fs');

let native;
function crc32(bytes) {
  native ??= require('node:zlib').crc32;
  return native(bytes);
}

const MAGIC = Buffer.from('svc-pack');
const PREAMBLE = 16;
const NOTHING = Buffer.alloc(0);
const FIRST_READ = 64 * 1024;

class Damaged extends Error {
  name = 'Damaged';
  constructor(file) {
    super(`${file} is not as it was built: svc is damaged. Install it again.`);
  }
}
exports.Damaged = Damaged;

/** @param {object} facts @param {Iterable<readonly [name: string, bytes: Uint8Array]>} parts */
exports.write = function write(facts, parts) {
  const places = {};
  const bodies = [];
  let at = 0;
  for (const [name, bytes] of parts) {
    places[name] = [at, bytes.length, crc32(bytes)];
    bodies.push(bytes);
    at += bytes.length;
  }
  const head = Buffer.from(JSON.stringify({ facts, places }));
  const preamble = Buffer.alloc(PREAMBLE);
  MAGIC.copy(preamble);
  preamble.writeUInt32LE(head.length, 8);
  preamble.writeUInt32LE(crc32(head), 12);
  return Buffer.concat([preamble, head, ...bodies]);
};

/**
 * @param {string} name
 * @param {(at: number, length: number) => Buffer} bytes
 * @param {{ isShown?: boolean }} [options]
 * @returns {{ facts: any, has(part: string): boolean, get(part: string): Buffer, names(): string[] }}
 */
exports.open = function open(name, bytes, { isShown = false } = {}) {
  const isRight = isShown ? () => true : (part, sum) => crc32(part) === sum;
  const first = bytes(0, FIRST_READ);
  if (first.length < PREAMBLE || !first.subarray(0, 8).equals(MAGIC)) throw new Damaged(name);
  const length = first.readUInt32LE(8);
  const end = PREAMBLE + length;
  const head = end <= first.length ? first.subarray(PREAMBLE, end) : bytes(PREAMBLE, length);
  if (head.length !== length || !isRight(head, first.readUInt32LE(12))) throw new Damaged(name);
  const { facts, places } = JSON.parse(head.latin1Slice());
  // A page may be asked for by any word, also by one that every object has, such as `constructor`.
  const has = (part) => Object.hasOwn(places, part);
  return {
    facts,
    has,
    names: () => Object.keys(places),
    get(part) {
      const [at, length, sum] = has(part) ? places[part] : [0, -1, 0];
      const body = length < 0 ? NOTHING : bytes(end + at, length);
      if (body.length !== length || !isRight(body, sum)) throw new Damaged(name);
      return body;
    },
  };
};

exports.openFile = function openFile(path, { file = openSync(path), ...options } = {}) {
  const bytesAt = (at, length) => {
    // A buffer of the shared pool would keep the whole pool in memory.
    const bytes = Buffer.allocUnsafeSlow(length);
    return bytes.subarray(0, readSync(file, bytes, 0, length, at));
  };
  return exports.open(path, bytesAt, options);
};
