import { createHash } from 'node:crypto';
import { componentOf, edges, lockedAt, nodeOf, purl, refOf } from './components.js';

/**
 * @typedef {object} Ingredients
 * @property {{ name: string, version: string, description: string, license: string }} project of package.json
 * @property {import('./components.js').Lock} lock
 * @property {readonly string[]} inputs what the bundle read, as paths
 * @property {readonly string[]} beside packages that are not bundled and come along: the key store
 * @property {NodeJS.ProcessVersions} versions of Node and what is in it
 * @property {Buffer} executable
 * @property {number} time in seconds
 */

/** @param {Ingredients} ingredients @returns {string} */
export function sbomOf({ project, lock, inputs, beside, versions, executable, time }) {
  const paths = [...new Set([...inputs.flatMap(packageOf), ...beside])].sort();
  const places = new Map(paths.map((path) => [path, refOf(path, lockedAt(lock, path))]));
  const libraries = new Map(
    paths.map((path) => [places.get(path) ?? '', componentOf(path, lockedAt(lock, path))]),
  );
  const root = `${project.name}@${project.version}`;
  const bom = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      timestamp: new Date(time * 1000).toISOString(),
      component: {
        type: 'application',
        'bom-ref': root,
        name: 'svc',
        version: project.version,
        description: project.description,
        hashes: [{ alg: 'SHA-256', content: createHash('sha256').update(executable).digest('hex') }],
        licenses: [{ license: { id: project.license } }],
        purl: purl(project.name, project.version),
      },
    },
    components: [...libraries.values(), nodeOf(versions)],
    dependencies: [
      { ref: root, dependsOn: [...libraries.keys(), `node@${versions.node}`].sort() },
      ...edges(paths, places, lock),
      { ref: `node@${versions.node}` },
    ],
  };
  const { bomFormat, specVersion, $schema, ...rest } = bom;
  const serialNumber = serialOf(JSON.stringify(bom));
  return `${JSON.stringify({ $schema, bomFormat, specVersion, serialNumber, ...rest }, null, 2)}\n`;
}

/** @param {string} input @returns {string[]} */
function packageOf(input) {
  const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0];
  return folder === undefined ? [] : [folder.slice(folder.indexOf('node_modules/'))];
}

/** @param {string} text */
function serialOf(text) {
  const digest = createHash('sha256').update(text).digest('hex');
  const parts = [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `a${digest.slice(17, 20)}`,
  ];
  return `urn:uuid:${parts.join('-')}-${digest.slice(20, 32)}`;
}
