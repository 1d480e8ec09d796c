/**
 * @typedef {{ version: string, integrity?: string, license?: string, dependencies?: Record<string, string> }} Locked
 * @typedef {{ packages: Record<string, Locked> }} Lock
 */

/** @param {Lock} lock @param {string} path @returns {Locked} */
export function lockedAt(lock, path) {
  const found = lock.packages[path];
  if (found === undefined)
    throw new Error(`${path} is in the bundle, and the lockfile does not know it: run npm ci.`);
  return found;
}

/** @param {string} path */
const nameOf = (path) => path.replace(/^.*node_modules\//, '');
/** @param {string} path @param {Locked} locked */
export const refOf = (path, { version }) => `${nameOf(path)}@${version}`;
/** @param {string} name @param {string} version */
export const purl = (name, version) => `pkg:npm/${name.replace('@', '%40')}@${version}`;

/** @param {string} path @param {Locked} locked */
export function componentOf(path, locked) {
  const name = nameOf(path);
  const { version, integrity = '', license = '' } = locked;
  const [algorithm = '', digest = ''] = integrity.split(' ')[0]?.split('-') ?? [];
  return {
    type: 'library',
    'bom-ref': refOf(path, locked),
    name,
    version,
    ...(algorithm === 'sha512' && {
      hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }],
    }),
    ...(license !== '' && {
      licenses: [/[ (]/.test(license) ? { expression: license } : { license: { id: license } }],
    }),
    purl: purl(name, version),
  };
}

/** @param {NodeJS.ProcessVersions} versions */
export function nodeOf(versions) {
  const { node, modules: _modules, napi: _napi, ...inside } = versions;
  return {
    type: 'platform',
    'bom-ref': `node@${node}`,
    name: 'node',
    version: node,
    licenses: [{ license: { id: 'MIT' } }],
    cpe: `cpe:2.3:a:nodejs:node.js:${node}:*:*:*:*:*:*:*`,
    purl: `pkg:generic/node@${node}`,
    components: Object.entries(inside).flatMap(([name, version]) =>
      version ? [{ type: 'library', 'bom-ref': `node/${name}@${version}`, name, version }] : [],
    ),
  };
}

/** @param {readonly string[]} paths @param {ReadonlyMap<string, string>} places @param {Lock} lock */
export function edges(paths, places, lock) {
  /** @type {Map<string, Set<string>>} */
  const needs = new Map();
  for (const path of paths) {
    const ref = places.get(path) ?? '';
    const known = needs.get(ref) ?? new Set();
    for (const name of Object.keys(lockedAt(lock, path).dependencies ?? {})) {
      const needed = places.get(found(path, name, places) ?? '');
      if (needed !== undefined) known.add(needed);
    }
    needs.set(ref, known);
  }
  return [...needs].map(([ref, known]) =>
    known.size === 0 ? { ref } : { ref, dependsOn: [...known].sort() },
  );
}

/**
 * Node looks beside the importing library first, and then further up.
 * @param {string} from
 * @param {string} name
 * @param {ReadonlyMap<string, string>} places
 */
function found(from, name, places) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (places.has(path)) return path;
    if (folder === '') return undefined;
  }
}
