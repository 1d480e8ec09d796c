/**
 * Many parts in one file, each found without reading the others: a line that says what the file is, a head with the place and the
 * checksum of every part, and the parts. A part is checked when it is asked for, before anybody believes it: against accidents, as one that
 * was cut short. The checksum is native, because a start looks at a megabyte.
 */
'use strict';

const { openSync, readSync } = require('node:fs');

/** Loaded with the first part that is checked: it brings what streams need along. */
let native;
function crc32(bytes) {
  native ??= require('node:zlib').crc32;
  return native(bytes);
}

const MAGIC = Buffer.from('svc-pack');
/** The magic, the length of the head, its checksum. */
const PREAMBLE = 16;
const NOTHING = Buffer.alloc(0);
/** More than most heads are: one read brings the preamble and the head. */
const FIRST_READ = 64 * 1024;

/** What was read is not what was written. Nothing of it may be used. */
class Damaged extends Error {
  name = 'Damaged';
  constructor(file) {
    super(`${file} is not as it was built: svc is damaged. Install it again.`);
  }
}
exports.Damaged = Damaged;

/**
 * The bytes of a file.
 * @param {object} facts what the file says of itself, as JSON
 * @param {Iterable<readonly [name: string, bytes: Uint8Array]>} parts
 */
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
 * @param {string} name what to call the file where it is damaged
 * @param {(at: number, length: number) => Buffer} bytes the file: fewer than asked for where it ends before
 * @param {{ isShown?: boolean }} [options] what is only shown is not checked: it is not worth loading how
 * @returns {{ facts: any, has(part: string): boolean, get(part: string): Buffer, names(): string[] }} `get` throws Damaged
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
  // What every object has is no part: a page may be asked for by any word.
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

/** One on the disk; `file` where it is open already. */
exports.openFile = function openFile(path, { file = openSync(path), ...options } = {}) {
  const bytesAt = (at, length) => {
    // Not out of the shared pool, which a part would hold on to.
    const bytes = Buffer.allocUnsafeSlow(length);
    return bytes.subarray(0, readSync(file, bytes, 0, length, at));
  };
  return exports.open(path, bytesAt, options);
};
