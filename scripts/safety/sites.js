/** Which sync of a recording is which call of the program, in words that stay the same from run to run: controls are named by them. */

/** @typedef {import('./trace.js').SystemCall} SystemCall */

/** Names the syncs of a recording, one after the other. */
export class Sites {
  #calls;
  /** @type {Map<string, number>} */
  #counts = new Map();

  /** @param {readonly SystemCall[]} calls */
  constructor(calls) {
    this.#calls = calls;
  }

  /**
   * The site and which of its syncs it is: `file requests.db-wal before a sending #1`.
   * @param {string} path
   * @param {number} index of the sync among the calls
   * @param {boolean} isFolder
   */
  of(path, index, isFolder) {
    const site = isFolder ? this.#folder(path, index) : this.#file(path, index);
    const count = (this.#counts.get(site) ?? 0) + 1;
    this.#counts.set(site, count);
    return `${site} #${String(count)}`;
  }

  /** What was changed last in it says whose sync it is: of a database, and of what SQLite makes beside it, the one name. @param {string} path @param {number} index */
  #folder(path, index) {
    for (let at = index - 1; at >= 0; at -= 1) {
      const call = this.#calls[at];
      const changed = call === undefined ? null : nameChangedBy(call);
      if (call !== undefined && changed !== null && parentOf(changed) === path)
        return `folder ${plain(path)} after ${call.kind} ${plain(changed).replace(/\.db-(?:journal|wal|shm)$/, '.db')}`;
    }
    return `folder ${plain(path)}`;
  }

  /** @param {string} path @param {number} index */
  #file(path, index) {
    const site = `file ${plain(path)}`;
    if (path.endsWith('-wal'))
      return `${site} ${this.#leavesNext(path, index) ? 'before a sending' : 'after an answer'}`;
    if (!path.endsWith('.db')) return site;
    const hasLog = this.#calls.slice(0, index).some((call) => isWriteTo(`${path}-wal`, call));
    return `${site} ${hasLog ? 'at a checkpoint' : 'without a log'}`;
  }

  /** Whether a request leaves before this file is written again. @param {string} path @param {number} index */
  #leavesNext(path, index) {
    const later = this.#calls.slice(index + 1);
    return later.find((call) => call.kind === 'sent' || isWriteTo(path, call))?.kind === 'sent';
  }
}

/** The site without the number behind it. @param {string} name */
export function siteOf(name) {
  return name.replace(/ #\d+$/, '');
}

/** @param {string} path @param {SystemCall} call */
function isWriteTo(path, call) {
  return call.kind === 'write' && call.path === path;
}

/** @param {SystemCall} call */
function nameChangedBy(call) {
  if (call.kind === 'rename') return call.to;
  return call.kind === 'create' || call.kind === 'mkdir' || call.kind === 'unlink' ? call.path : null;
}

/** The folder that a path stands in. @param {string} path */
export function parentOf(path) {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** The last part of a path. @param {string} path */
export function nameOf(path) {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Without what chance has put into the name. @param {string} path */
function plain(path) {
  return nameOf(path).replaceAll(/[0-9a-f]{16,}/g, 'HEX') || 'home';
}
