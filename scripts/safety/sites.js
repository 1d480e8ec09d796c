/** @typedef {import('./trace.js').SystemCall} SystemCall */

export class Sites {
  #calls;
  /** @type {Map<string, number>} */
  #counts = new Map();

  /** @param {readonly SystemCall[]} calls */
  constructor(calls) {
    this.#calls = calls;
  }

  /** @param {string} path @param {number} index @param {boolean} isFolder */
  of(path, index, isFolder) {
    const site = isFolder ? this.#folder(path, index) : this.#file(path, index);
    const count = (this.#counts.get(site) ?? 0) + 1;
    this.#counts.set(site, count);
    return `${site} #${String(count)}`;
  }

  /** @param {string} path @param {number} index */
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

  /** @param {string} path @param {number} index */
  #leavesNext(path, index) {
    const later = this.#calls.slice(index + 1);
    return later.find((call) => call.kind === 'sent' || isWriteTo(path, call))?.kind === 'sent';
  }
}

/** @param {string} name */
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

/** @param {string} path */
export function parentOf(path) {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** @param {string} path */
export function nameOf(path) {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** @param {string} path */
function plain(path) {
  return nameOf(path).replaceAll(/[0-9a-f]{16,}/g, 'HEX') || 'home';
}
