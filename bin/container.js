/**
 * Many parts in one file, each found without reading the others: a line that says what the file is, a head with the place and the
 * checksum of every part, and the parts. A part is checked when it is asked for, before anybody believes it.
 */
'use strict';

const { openSync, readSync } = require('node:fs');

const MAGIC = Buffer.from('svc-pack');
/** Of head and parts, so that they can be read as words where they lie. */
const ALIGNMENT = 8;
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
    const body = padded(Buffer.from(bytes));
    places[name] = [at, bytes.length, checksum(bytes)];
    bodies.push(body);
    at += body.length;
  }
  const head = padded(Buffer.from(JSON.stringify({ facts, places })), ' ');
  const preamble = Buffer.alloc(PREAMBLE);
  MAGIC.copy(preamble);
  preamble.writeUInt32LE(head.length, 8);
  preamble.writeUInt32LE(checksum(head), 12);
  return Buffer.concat([preamble, head, ...bodies]);
};

/**
 * @param {string} name what to call the file where it is damaged
 * @param {(at: number, length: number) => Buffer} bytes the file: fewer than asked for where it ends before
 * @returns {{ facts: any, has(part: string): boolean, get(part: string): Buffer, names(): string[] }} `get` throws Damaged
 */
exports.open = function open(name, bytes) {
  const first = bytes(0, FIRST_READ);
  if (first.length < PREAMBLE || !first.subarray(0, 8).equals(MAGIC)) throw new Damaged(name);
  const length = first.readUInt32LE(8);
  const end = PREAMBLE + length;
  const head = end <= first.length ? first.subarray(PREAMBLE, end) : bytes(PREAMBLE, length);
  if (head.length !== length || checksum(head) !== first.readUInt32LE(12)) throw new Damaged(name);
  const { facts, places } = JSON.parse(head.latin1Slice());
  return {
    facts,
    has: (part) => places[part] !== undefined,
    names: () => Object.keys(places),
    get(part) {
      const [at, length, sum] = places[part] ?? [0, -1, 0];
      const body = length < 0 ? NOTHING : bytes(end + at, length);
      if (body.length !== length || checksum(body) !== sum) throw new Damaged(name);
      return body;
    },
  };
};

/** One on the disk. @param {string} path @param {number} [file] where it is open already */
exports.openFile = function openFile(path, file = openSync(path)) {
  return exports.open(path, (at, length) => {
    // Slow as in: not out of the shared pool, so that it begins where words do.
    const bytes = Buffer.allocUnsafeSlow(length);
    return bytes.subarray(0, readSync(file, bytes, 0, length, at));
  });
};

/**
 * Against accidents: a part that was cut short, half written or changed. It runs at every start, over a megabyte, before anything is
 * compiled: a loop over words, and neither crypto nor zlib loads for it.
 * @param {Uint8Array} bytes
 * @returns {number} 32 bits
 */
function checksum(bytes) {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : Uint8Array.from(bytes);
  const words = new Int32Array(aligned.buffer, aligned.byteOffset, aligned.length >> 2);
  const { length } = words;
  let [sum, sums] = [aligned.length, 0];
  for (let i = 0; i < length; i++) {
    sum = (sum + words[i]) | 0;
    sums = (sums + sum) | 0;
  }
  for (let i = length * 4; i < aligned.length; i++) {
    sum = (sum + aligned[i]) | 0;
    sums = (sums + sum) | 0;
  }
  return (Math.imul(sum, 0x9e3779b1) ^ sums) >>> 0;
}
exports.checksum = checksum;

/** @param {Buffer} bytes @param {string} [filler] */
function padded(bytes, filler = '\0') {
  const missing = -bytes.length & (ALIGNMENT - 1);
  return missing === 0 ? bytes : Buffer.concat([bytes, Buffer.alloc(missing, filler)]);
}
