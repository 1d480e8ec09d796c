import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';

/**
 * @typedef {object} When
 * @property {number} at milliseconds since 1970 when the call began
 * @property {number} entry its place among the calls, by their beginnings
 * @property {number} exit the place behind which it had ended; half a step where other calls began in between; Infinity if it never did
 */
/** @typedef {{ kind: 'create' | 'mkdir' | 'unlink' | 'sync', path: string }} Named */
/** @typedef {{ kind: 'rename', path: string, to: string }} Renamed */
/** @typedef {{ kind: 'write', path: string, off: number | null, data: Buffer }} Written `off` null: at the end */
/** @typedef {{ kind: 'truncate', path: string, size: number }} Truncated */
/** @typedef {{ kind: 'sent', key: string }} Sent a POST left under this idempotency key */
/** @typedef {{ kind: 'told', text: string }} Told a line on a pipe that is standard output */
/** @typedef {Named | Renamed | Written | Truncated | Sent | Told} What */
/** @typedef {What & When} SystemCall */
/** @typedef {{ pid: string, name: string, text: string, result: string | null } & When} RawCall */
/** @typedef {{ calls: SystemCall[], unmodelled: string[] }} Recording */
/** @typedef {{ code: number | null, out: string, err: string }} Ended */

const MODELLED = [
  ...['openat', 'open', 'creat', 'write', 'writev', 'pwrite64', 'ftruncate', 'fsync', 'fdatasync', 'mmap'],
  ...[
    'rename',
    'renameat',
    'renameat2',
    'unlink',
    'unlinkat',
    'rmdir',
    'mkdir',
    'mkdirat',
    'sendto',
    'sendmsg',
  ],
];
/**
 * These calls are traced too, so that a run that begins to use one of them fails, instead of leaving a hole in the
 * recording.
 */
const REFUSED = [
  ...[
    'pwritev',
    'pwritev2',
    'truncate',
    'fallocate',
    'sync_file_range',
    'link',
    'linkat',
    'symlink',
    'symlinkat',
  ],
  ...['sendfile', 'copy_file_range', 'splice', 'msync', 'sync', 'syncfs', 'openat2', 'sendmmsg'],
];
export function canRecord() {
  return process.platform === 'linux' && spawnSync('strace', ['-V'], { stdio: 'ignore' }).status === 0;
}

/**
 * @param {readonly string[]} line
 * @param {{ cwd: string, env: NodeJS.ProcessEnv, log: string, stdin?: number | undefined, stdout?: number | undefined, drive?: ((err: () => string) => Promise<void>) | undefined }} options
 * @returns {Promise<Ended>}
 */
export async function record(line, { cwd, env, log, stdin, stdout, drive }) {
  const calls = [...MODELLED, ...REFUSED].join();
  const child = spawn(
    'strace',
    [
      ...['-f', '--seccomp-bpf', '-y', '-xx', '-s', '4000000', '-ttt', '-e', 'signal=none'],
      ...['-o', log, '-e', `trace=${calls}`, ...line],
    ],
    { cwd, env, stdio: [stdin ?? 'ignore', stdout ?? 'pipe', 'pipe'] },
  );
  let [out, err] = ['', ''];
  child.stdout?.on('data', (chunk) => (out += String(chunk)));
  child.stderr?.on('data', (chunk) => (err += String(chunk)));
  /** @type {Promise<number | null>} */
  const closed = new Promise((resolve) => child.once('close', resolve));
  if (drive !== undefined) {
    await drive(() => err);
    const pid = String(child.pid);
    const [traced] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    process.kill(Number(traced), 'SIGTERM');
  }
  return { code: await closed, out, err };
}

const HEX = '(?:\\\\x[0-9a-f]{2})*';
const STRINGS = new RegExp(`"(${HEX})"`, 'g');
const DESCRIPTOR = new RegExp(`^([A-Z_]+|-?\\d+)<(${HEX})([^>]*)>`);
const DESCRIPTORS = new RegExp(`\\d+<(${HEX})`, 'g');
const PATHS = new RegExp(`(?:(?:[A-Z_]+|\\d+)<(${HEX})>, )?"(${HEX})"`, 'g');
const LAST_NUMBER = /, (\d+)$/;

/** @param {string} log @param {string} root @returns {Recording} */
export function readTrace(log, root) {
  const reader = new Reader(root);
  for (const call of callsOf(log)) reader.take(call);
  return { calls: reader.calls, unmodelled: [...reader.unmodelled] };
}

/** @param {string} log */
function callsOf(log) {
  /** @type {Map<string, RawCall>} */
  const unfinished = new Map();
  /** @type {RawCall[]} */
  const calls = [];
  for (const line of log.split('\n')) {
    const [, pid, at, rest] = /^(\d+) +(\d+\.\d+) (.*)$/s.exec(line) ?? [];
    if (pid === undefined || rest === undefined) continue;
    const [, resumed] = /^<\.\.\. \w+ resumed>(.*)$/s.exec(rest) ?? [];
    if (resumed !== undefined) {
      const call = unfinished.get(pid);
      unfinished.delete(pid);
      if (call !== undefined) end(call, call.text + resumed, calls.length - 0.5);
      continue;
    }
    const [, name] = /^(\w+)\(/.exec(rest) ?? [];
    if (name === undefined) continue;
    const text = rest.slice(name.length + 1);
    const call = {
      pid,
      at: Number(at) * 1000,
      name,
      entry: calls.length,
      exit: Infinity,
      text,
      result: null,
    };
    calls.push(call);
    const cut = text.indexOf(' <unfinished ...>');
    if (cut === -1) end(call, text, calls.length - 1);
    else {
      call.text = text.slice(0, cut);
      unfinished.set(pid, call);
    }
  }
  return calls;
}

/** @param {RawCall} call @param {string} text @param {number} exit */
function end(call, text, exit) {
  const bracket = text.lastIndexOf(') ');
  const equals = text.indexOf('= ', bracket);
  call.text = bracket === -1 ? text : text.slice(0, bracket);
  call.result = equals === -1 ? null : text.slice(equals + 2).trim();
  call.exit = exit;
}

class Reader {
  /** @type {SystemCall[]} */
  calls = [];
  /** @type {Set<string>} */
  unmodelled = new Set();
  /** @type {Map<string, number>} */
  #offsets = new Map();
  #root;

  /** @param {string} root */
  constructor(root) {
    this.#root = root;
  }

  /** @param {RawCall} call */
  take(call) {
    const { name, text } = call;
    if (call.result?.startsWith('-1') === true) return;
    const opened = this.#descriptor(text);
    if (name === 'write' || name === 'writev' || name === 'sendto' || name === 'sendmsg') {
      if (opened === null || opened.path === null) this.#left(call, opened?.number);
      else if (!opened.isDeleted) this.#written(call, opened.path, opened.number);
      return;
    }
    const path = opened === null || opened.isDeleted ? null : opened.path;
    if (name === 'openat' || name === 'open' || name === 'creat') this.#opened(call);
    else if (name === 'pwrite64') {
      if (path !== null) this.#add(call, { kind: 'write', path, off: lastNumber(text), data: dataOf(call) });
    } else if (name === 'ftruncate') {
      if (path !== null) this.#add(call, { kind: 'truncate', path, size: lastNumber(text) });
    } else if (name === 'fsync' || name === 'fdatasync') {
      if (path !== null) this.#add(call, { kind: 'sync', path });
    } else if (name === 'mmap') this.#mapped(text);
    else if (name === 'sendmmsg') this.unmodelled.add(name);
    else this.#named(call, this.#paths(call));
  }

  /** @param {RawCall} call @param {What} what */
  #add({ at, entry, exit }, what) {
    this.calls.push({ ...what, at, entry, exit });
  }

  /** @param {string} path */
  #below(path) {
    if (path === this.#root) return '';
    return path.startsWith(`${this.#root}/`) ? path.slice(this.#root.length + 1) : null;
  }

  /** @param {RawCall} call */
  #paths({ name, text }) {
    return [...text.matchAll(PATHS)].map(([, folder, hex = '']) => {
      const path = textOf(hex);
      if (path.startsWith('/')) return this.#below(path);
      if (folder !== undefined) return this.#below(posix.join(textOf(folder), path));
      this.unmodelled.add(`${name} of a relative path`);
      return null;
    });
  }

  /** @param {string} text */
  #descriptor(text) {
    const [, number, hex, more] = DESCRIPTOR.exec(text) ?? [];
    if (number === undefined || hex === undefined) return null;
    const isDeleted =
      textOf(hex).endsWith(' (deleted)') || text.startsWith(`${number}<${hex}${more ?? ''}>(deleted)`);
    return { number, path: this.#below(textOf(hex).replace(/ \(deleted\)$/, '')), isDeleted };
  }

  /** @param {RawCall} call @param {string | undefined} number */
  #left(call, number) {
    // The key has left with the first part of a request.
    const data = givenTo(call).toString('latin1');
    if (data.includes('POST /'))
      for (const [, key] of data.matchAll(/idempotency-key: ([^\r\n]+)/gi))
        this.#add(call, { kind: 'sent', key: key ?? '' });
    else if (number === '1') this.#add(call, { kind: 'told', text: dataOf(call).toString('utf8') });
  }

  /** @param {RawCall} call @param {string} path @param {string} number */
  #written(call, path, number) {
    const slot = `${call.pid}:${number}:${path}`;
    const off = this.#offsets.get(slot) ?? null;
    const data = dataOf(call);
    if (off !== null) this.#offsets.set(slot, off + data.length);
    this.#add(call, { kind: 'write', path, off, data });
  }

  /** @param {RawCall} call */
  #opened(call) {
    const [path = null] = this.#paths(call);
    if (path === null) return;
    const flags = call.name === 'creat' ? 'O_CREAT|O_TRUNC' : call.text;
    const [, number] = /^(\d+)</.exec(call.result ?? '') ?? [];
    const slot = `${call.pid}:${number ?? ''}:${path}`;
    if (flags.includes('O_APPEND')) this.#offsets.delete(slot);
    else this.#offsets.set(slot, 0);
    if (flags.includes('O_CREAT')) this.#add(call, { kind: 'create', path });
    if (flags.includes('O_TRUNC')) this.#add(call, { kind: 'truncate', path, size: 0 });
  }

  /** @param {string} text */
  #mapped(text) {
    const [, hex] = new RegExp(`, \\d+<(${HEX})>`).exec(text) ?? [];
    const path = hex === undefined ? null : this.#below(textOf(hex));
    if (path !== null && text.includes('MAP_SHARED') && text.includes('PROT_WRITE') && !path.endsWith('-shm'))
      this.unmodelled.add(`a shared mapping of ${path}`);
  }

  /** @param {RawCall} call @param {(string | null)[]} paths */
  #named(call, [path = null, to = null]) {
    if (call.name.startsWith('rename')) {
      const flag = /RENAME_(?:EXCHANGE|WHITEOUT)/.exec(call.text)?.[0];
      if (flag !== undefined && (path !== null || to !== null))
        this.unmodelled.add(`${call.name} with ${flag}`);
      else if (path !== null && to !== null) this.#add(call, { kind: 'rename', path, to });
      else if (path !== null || to !== null) this.unmodelled.add(`${call.name} across the folder`);
    } else if (call.name.startsWith('unlink') || call.name === 'rmdir') {
      if (path !== null) this.#add(call, { kind: 'unlink', path });
    } else if (call.name.startsWith('mkdir')) {
      if (path !== null) this.#add(call, { kind: 'mkdir', path });
    } else if (path !== null || to !== null || call.name === 'sync' || this.#holds(call.text))
      this.unmodelled.add(call.name);
  }

  /** @param {string} text */
  #holds(text) {
    return [...text.matchAll(DESCRIPTORS)].some(([, hex = '']) => this.#below(textOf(hex)) !== null);
  }
}

/** @param {string} hex */
const bytesOf = (hex) => Buffer.from(hex.replaceAll('\\x', ''), 'hex');
/** @param {string} hex */
const textOf = (hex) => bytesOf(hex).toString('utf8');
/** @param {RawCall} call */
const givenTo = ({ text }) =>
  Buffer.concat([...text.slice(text.indexOf('>')).matchAll(STRINGS)].map(([, hex]) => bytesOf(hex ?? '')));
/** @param {RawCall} call */
const dataOf = (call) =>
  givenTo(call).subarray(0, /^\d+$/.test(call.result ?? '') ? Number(call.result) : undefined);
/** @param {string} text */
const lastNumber = (text) => Number(LAST_NUMBER.exec(text.trim())?.[1]);
