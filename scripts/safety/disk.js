/**
 * Data: all that a sync covered is there. Of later writes any subset of pages is there, each in any version; the size
 * is any that the file had; a missing page is zeros. Names, `strict`: a change is there once its folder was synced, and
 * of the other changes any subset. Names, `ordered`: a sync of anything makes earlier changes of names durable, and
 * only the newest are lost (ext4, xfs, APFS).
 */
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { nameOf, parentOf, Sites } from './sites.js';

/** @typedef {import('./trace.js').SystemCall} SystemCall */
/** @typedef {{ path: string, data: Buffer | null }} Entry a file, or a folder where `data` is null; folders before what is in them */
/** @typedef {'strict' | 'ordered'} Mode */
/** @typedef {{ entry: number, exit: number }} Span */
/** @typedef {Span & { size: number, off: number, bytes: Buffer }} Change of a file's data: zeros from there on where it was truncated */
/** @typedef {{ dir: number, name: string, to: number | null }} Edit of a name: what it stands for from now on */
/**
 * @typedef {{ names: Map<string, number> | null, first: Map<string, number>, base: Buffer, size: number, changes: Change[], syncs: Sync[] }} Node
 */
/** @typedef {Span & { site: string }} Sync `site`: which call of the program it is, in words that stay the same from run to run */
/**
 * @typedef {object} Fate
 * @property {() => number} random from 0 to 1
 * @property {Mode} mode
 * @property {number} kept how much of what is not durable is there: 0 nothing, 1 all, else by chance
 * @property {number} grain bytes of a page
 * @property {(site: string) => boolean} [ignored] syncs that are taken for absent
 */

const ROOT = 0;

export class DiskHistory {
  /** @type {readonly Sync[]} */
  syncs;
  /** @type {readonly SystemCall[]} */
  #calls;
  /** @type {Node[]} */
  #nodes = [folder()];
  /** @type {(Span & { edits: Edit[] })[]} */
  #nameChanges = [];

  /** @param {readonly Entry[]} before @param {readonly SystemCall[]} calls */
  constructor(before, calls) {
    this.#calls = calls;
    for (const { path, data } of before) this.#put(path, data === null ? folder() : file(data));
    for (const node of this.#nodes) node.first = new Map(node.names);
    const sites = new Sites(calls);
    calls.forEach((call, index) => this.#apply(call, index, sites));
    this.syncs = this.#nodes.flatMap(({ syncs }) => syncs).toSorted((one, other) => one.entry - other.entry);
  }

  /** @param {number} index @param {Fate} fate @returns {Entry[]} */
  sample(index, fate) {
    const now = this.#calls[index]?.entry ?? -1;
    const { ignored = () => false } = fate;
    /** @param {readonly Sync[]} syncs */
    const durable = (syncs) =>
      syncs.reduce(
        (last, { entry, exit, site }) => (exit <= now && !ignored(site) ? Math.max(last, entry) : last),
        -1,
      );
    const isKept = () => fate.kept === 1 || (fate.kept > 0 && fate.random() < fate.kept);
    const names = this.#namesLeft(
      now,
      fate.mode === 'ordered' ? durable(this.syncs) : -1,
      durable,
      isKept,
      fate.mode,
    );
    /** @type {Entry[]} */
    const left = [];
    /** @type {Map<number, Buffer>} */
    const contents = new Map();
    /** @param {number} at @param {string} within */
    const walk = (at, within) => {
      for (const [name, node] of names[at] ?? []) {
        const path = within + name;
        if (this.#node(node).names !== null) {
          left.push({ path, data: null });
          walk(node, `${path}/`);
          continue;
        }
        const data =
          contents.get(node) ??
          (path.endsWith('-shm')
            ? sharedMemory(fate.random)
            : this.#dataLeft(this.#node(node), now, durable, isKept, fate));
        contents.set(node, data);
        left.push({ path, data });
      }
    };
    walk(ROOT, '');
    return left;
  }

  /** @param {number} at */
  #node(at) {
    return /** @type {Node} */ (this.#nodes[at]);
  }

  /** @param {string} path @returns {number | undefined} */
  #find(path) {
    let at = ROOT;
    for (const part of path === '' ? [] : path.split('/')) {
      const next = this.#node(at).names?.get(part);
      if (next === undefined) return undefined;
      at = next;
    }
    return at;
  }

  /** @param {string} path @param {Node} node @returns {Edit} */
  #put(path, node) {
    this.#nodes.push(node);
    return this.#name(path, this.#nodes.length - 1);
  }

  /** @param {string} path @param {number | null} to @returns {Edit} */
  #name(path, to) {
    const dir = this.#find(parentOf(path));
    if (dir === undefined) throw new Error(`no folder for ${path}`);
    const names = this.#node(dir).names;
    if (to === null) names?.delete(nameOf(path));
    else names?.set(nameOf(path), to);
    return { dir, name: nameOf(path), to };
  }

  /** @param {SystemCall} call @param {number} index @param {Sites} sites */
  #apply(call, index, sites) {
    const { kind, entry, exit } = call;
    if (kind === 'sent' || kind === 'told') return;
    const { path } = call;
    const found = this.#find(path);
    if (kind === 'create' || kind === 'mkdir') {
      if (found !== undefined) return;
      this.#nameChanges.push({
        entry,
        exit,
        edits: [this.#put(path, kind === 'create' ? file(Buffer.alloc(0)) : folder())],
      });
      return;
    }
    if (found === undefined) throw new Error(`${kind} of ${path}, which is not there`);
    const node = this.#node(found);
    if (kind === 'unlink') this.#nameChanges.push({ entry, exit, edits: [this.#name(path, null)] });
    else if (kind === 'rename')
      this.#nameChanges.push({ entry, exit, edits: [this.#name(path, null), this.#name(call.to, found)] });
    else if (kind === 'truncate') {
      const { size } = call;
      // A file that grows again must not show its old bytes.
      node.changes.push({ entry, exit, size, off: size, bytes: Buffer.alloc(Math.max(0, node.size - size)) });
      node.size = size;
    } else if (kind === 'write') {
      const off = call.off ?? node.size;
      node.size = Math.max(node.size, off + call.data.length);
      node.changes.push({ entry, exit, size: node.size, off, bytes: call.data });
    } else node.syncs.push({ entry, exit, site: sites.of(path, index, node.names !== null) });
  }

  /**
   * @param {number} now
   * @param {number} anySync
   * @param {(syncs: readonly Sync[]) => number} durable
   * @param {() => boolean} isKept
   * @param {Mode} mode
   */
  #namesLeft(now, anySync, durable, isKept, mode) {
    const names = this.#nodes.map(({ first }) => new Map(first));
    const synced = this.#nodes.map(({ syncs, names: here }) =>
      here === null ? -1 : Math.max(anySync, durable(syncs)),
    );
    const lost = new Set();
    let isCut = false;
    for (const { edits, entry, exit } of this.#nameChanges) {
      if (entry > now) break;
      const places = edits.map(({ dir, name }) => `${String(dir)}/${name}`);
      const isDurable = edits.every(({ dir }) => exit < (synced[dir] ?? -1));
      if (isDurable || (!isCut && !places.some((place) => lost.has(place)) && isKept())) {
        for (const { dir, name, to } of edits) {
          if (to === null) names[dir]?.delete(name);
          else names[dir]?.set(name, to);
        }
        continue;
      }
      for (const place of places) lost.add(place);
      isCut ||= mode === 'ordered';
    }
    return names;
  }

  /**
   * @param {Node} node
   * @param {number} now
   * @param {(syncs: readonly Sync[]) => number} durable
   * @param {() => boolean} isKept
   * @param {Fate} fate
   */
  #dataLeft({ base, changes, syncs }, now, durable, isKept, { random, kept, grain }) {
    const covered = durable(syncs);
    const begun = changes.filter(({ entry }) => entry <= now);
    const whole = applied(
      base,
      begun.filter(({ exit }) => exit < covered),
    );
    const later = begun.filter(({ exit }) => exit >= covered);
    if (later.length === 0) return whole;
    const sizes = [whole.length, ...later.map(({ size }) => size)];
    const data = Buffer.alloc(Math.max(...sizes));
    whole.copy(data);
    for (const [page, versions] of pagesOf(later, grain)) {
      const count = kept === 1 ? versions.length : isKept() ? 1 + Math.floor(random() * versions.length) : 0;
      for (const { off, bytes } of versions.slice(0, count)) {
        const [from, to] = [Math.max(off, page * grain), Math.min(off + bytes.length, (page + 1) * grain)];
        bytes.copy(data, from, from - off, to - off);
      }
    }
    const at = kept === 0 ? 0 : kept === 1 ? sizes.length - 1 : Math.floor(random() * sizes.length);
    return data.subarray(0, sizes[at]);
  }
}

/** @returns {Node} */
function folder() {
  return { names: new Map(), first: new Map(), base: Buffer.alloc(0), size: 0, changes: [], syncs: [] };
}

/** @param {Buffer} base @returns {Node} */
function file(base) {
  return { names: null, first: new Map(), base, size: base.length, changes: [], syncs: [] };
}

/** @param {Buffer} base @param {readonly Change[]} changes */
function applied(base, changes) {
  const data = Buffer.alloc(Math.max(base.length, ...changes.map(({ size }) => size)));
  let length = base.copy(data);
  for (const { size, off, bytes } of changes) {
    bytes.copy(data, off);
    length = size;
  }
  return data.subarray(0, length);
}

/** @param {readonly Change[]} changes @param {number} grain */
function pagesOf(changes, grain) {
  /** @type {Map<number, { off: number, bytes: Buffer }[]>} */
  const pages = new Map();
  for (const { off, bytes } of changes) {
    for (let page = Math.floor(off / grain); page * grain < off + bytes.length; page += 1)
      pages.set(page, [...(pages.get(page) ?? []), { off, bytes }]);
  }
  return pages;
}

/**
 * Mapped memory is not recorded, so SQLite must not trust it when it opens a database first.
 * @param {() => number} random
 */
function sharedMemory(random) {
  const kind = Math.floor(random() * 3);
  const data = Buffer.alloc(kind === 0 ? 0 : 32_768);
  if (kind === 2)
    for (let at = 0; at < data.length; at += 4) data.writeUInt32LE(Math.floor(random() * 2 ** 32), at);
  return data;
}

/** @param {string} root @returns {Entry[]} */
export function snapshot(root, within = '') {
  return readdirSync(join(root, within))
    .toSorted()
    .flatMap((name) => {
      const path = within + name;
      if (!statSync(join(root, path)).isDirectory()) return [{ path, data: readFileSync(join(root, path)) }];
      return [{ path, data: null }, ...snapshot(root, `${path}/`)];
    });
}

/** @param {readonly Entry[]} entries @param {string} root */
export function materialise(entries, root) {
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root, { recursive: true, mode: 0o700 });
  chmodSync(root, 0o700);
  for (const { path, data } of entries) {
    if (data === null) mkdirSync(join(root, path), { mode: 0o700 });
    else writeFileSync(join(root, path), data, { mode: 0o600 });
  }
}

/** @param {readonly Entry[]} entries */
export function digest(entries) {
  const hash = createHash('sha1');
  for (const { path, data } of entries.toSorted((one, other) => (one.path < other.path ? -1 : 1))) {
    if (path.endsWith('-shm')) continue;
    hash.update(`${path}\0${data === null ? 'folder' : String(data.length)}\0`);
    if (data !== null) hash.update(data);
  }
  return hash.digest('hex');
}
