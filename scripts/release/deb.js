import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { arOf, tarOf } from './tar.js';
import { xz } from './tools.js';

const ARCHITECTURES = /** @type {Record<string, string>} */ ({ x64: 'amd64', arm64: 'arm64' });

/** @param {string} arch */
export const architectureOf = (arch) => ARCHITECTURES[arch];

/**
 * @param {import('./contents.js').Contents} contents
 * @param {{ version: string, arch: string, time: number, level: string }} facts
 * @returns {Promise<Buffer>}
 */
export async function debOf(contents, { version, arch, time, level }) {
  const tree = debTree(contents);
  const control = new Map([
    ['control', file(controlOf(tree, version, architectureOf(arch) ?? arch))],
    ['md5sums', file([...tree].map(([path, { bytes }]) => `${md5(bytes)}  ${path}\n`).join(''))],
  ]);
  const [head, data] = await Promise.all([
    xz(tarOf(control, time, './'), '-6'),
    xz(tarOf(tree, time, './'), level),
  ]);
  return arOf(
    [
      ['debian-binary', Buffer.from('2.0\n')],
      ['control.tar.xz', head],
      ['data.tar.xz', data],
    ],
    time,
  );
}

/** @param {import('./contents.js').Contents} contents @returns {import('./tar.js').Tree} */
function debTree({ executable, completions, manual, licences, changelog }) {
  const { bash = '', zsh = '', fish = '' } = completions;
  const zipped = [...manual].map(
    ([name, text]) => /** @type {const} */ ([`usr/share/man/man1/${name}.gz`, zip(text)]),
  );
  const tree = new Map([
    ['usr/bin/svc', { bytes: executable, mode: 0o755 }],
    ['usr/share/bash-completion/completions/svc', file(bash)],
    ['usr/share/doc/svc/changelog.gz', zip(changelog)],
    ['usr/share/doc/svc/copyright', file([...licences.values()].join(`\n${'='.repeat(80)}\n\n`))],
    ['usr/share/fish/vendor_completions.d/svc.fish', file(fish)],
    ...zipped,
    ['usr/share/zsh/vendor-completions/_svc', file(zsh)],
  ]);
  return tree;
}

/** @param {import('./tar.js').Tree} tree @param {string} version @param {string} architecture */
function controlOf(tree, version, architecture) {
  const size = [...tree.values()].reduce((total, { bytes }) => total + Math.ceil(bytes.length / 1024), 0);
  return [
    'Package: svc',
    // Debian sorts a version with `~` before the version without it.
    `Version: ${version.replace('-', '~')}`,
    `Architecture: ${architecture}`,
    'Maintainer: svc maintainers <maintainers@svc.example>',
    `Installed-Size: ${size}`,
    // The versions are those that `objdump -p` prints for the builds of Node. libgcc comes with libstdc++6.
    'Depends: libc6 (>= 2.28), libstdc++6 (>= 5.2)',
    'Section: utils',
    'Priority: optional',
    'Description: collections and payouts from the command line',
    " A client for a payments API, with the service's whole sandbox inside.",
    ' Every command works on a fresh machine with no account and no key.',
    '',
  ].join('\n');
}

/** @param {string} text */
const file = (text) => ({ bytes: Buffer.from(text), mode: 0o644 });
/** The gzip header has no name and no time. @param {string} text */
const zip = (text) => ({ bytes: gzipSync(text, { level: 9 }), mode: 0o644 });
/** @param {Buffer} bytes */
const md5 = (bytes) => createHash('md5').update(bytes).digest('hex');
