/** The bytes depend only on the contents: names are sorted, all files have one time and no owner. */

/**
 * @typedef {{ bytes: Buffer, mode: number }} Entry
 * @typedef {ReadonlyMap<string, Entry>} Tree by path, with no slash before it
 */

const BLOCK = 512;
const NAME_MAX = 100;

/** @param {Tree} tree @param {number} time @param {string} [prefix] @returns {Buffer} */
export function tarOf(tree, time, prefix = '') {
  const folders = new Set([...tree.keys()].flatMap(above));
  const names = [...folders, ...tree.keys()].sort((a, b) => (a < b ? -1 : 1));
  const root = prefix === '' ? [] : [head({ name: prefix, mode: 0o755, size: 0, time, kind: '5' })];
  const parts = names.flatMap((path) => {
    const entry = tree.get(path);
    const name = prefix + path;
    if (entry === undefined) return [head({ name, mode: 0o755, size: 0, time, kind: '5' })];
    const { bytes, mode } = entry;
    return [head({ name, mode, size: bytes.length, time, kind: '0' }), bytes, filler(bytes.length, BLOCK)];
  });
  const archive = [...root, ...parts, Buffer.alloc(2 * BLOCK)];
  return Buffer.concat(archive);
}

/** `a/b/c` is in `a/` and `a/b/`. @param {string} path */
function above(path) {
  const steps = path.split('/').slice(0, -1);
  return steps.map((_, at) => `${steps.slice(0, at + 1).join('/')}/`);
}

/** @param {{ name: string, mode: number, size: number, time: number, kind: string }} file @returns {Buffer} */
function head({ name, mode, size, time, kind }) {
  if (Buffer.byteLength(name) > NAME_MAX) throw new Error(`${name} is longer than an archive takes.`);
  const block = Buffer.alloc(BLOCK);
  const octal = (/** @type {number} */ value, /** @type {number} */ digits) =>
    `${value.toString(8).padStart(digits, '0')}\0`;
  block.write(name, 0);
  block.write(octal(mode, 7), 100);
  block.write(octal(0, 7), 108);
  block.write(octal(0, 7), 116);
  block.write(octal(size, 11), 124);
  block.write(octal(time, 11), 136);
  block.write(' '.repeat(8), 148);
  block.write(kind, 156);
  block.write('ustar\x0000', 257, 'latin1');
  for (const at of [265, 297]) block.write('root', at);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

/** @param {number} length @param {number} unit */
function filler(length, unit) {
  return Buffer.alloc((unit - (length % unit)) % unit);
}

/** @param {readonly (readonly [name: string, bytes: Buffer])[]} members @param {number} time */
export function arOf(members, time) {
  const parts = members.flatMap(([name, bytes]) => {
    const fields = [
      name.padEnd(16),
      String(time).padEnd(12),
      '0'.padEnd(6),
      '0'.padEnd(6),
      '100644'.padEnd(8),
    ];
    const line = `${fields.join('')}${String(bytes.length).padEnd(10)}\`\n`;
    return [Buffer.from(line), bytes, Buffer.from(bytes.length % 2 === 0 ? '' : '\n')];
  });
  return Buffer.concat([Buffer.from('!<arch>\n'), ...parts]);
}
