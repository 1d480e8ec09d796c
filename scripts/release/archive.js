import { tarOf } from './tar.js';
import { xz } from './tools.js';

/**
 * @param {import('./contents.js').Contents} contents
 * @param {{ name: string, time: number, level: string }} facts
 * @returns {Promise<Buffer>}
 */
export async function archiveOf(contents, { name, time, level }) {
  return xz(tarOf(archiveTree(contents, name), time), level);
}

/** @param {import('./contents.js').Contents} contents @param {string} name @returns {import('./tar.js').Tree} */
function archiveTree({ executable, completions, manual, licences, changelog }, name) {
  const texts = [
    ['completions/_svc', completions.zsh],
    ['completions/svc.bash', completions.bash],
    ['completions/svc.fish', completions.fish],
    ...[...manual].map(([page, text]) => [`man/man1/${page}`, text]),
    ...licences,
    ['CHANGELOG.md', changelog],
  ];
  return new Map([
    [`${name}/svc`, { bytes: executable, mode: 0o755 }],
    ...texts.map(
      ([path = '', text = '']) =>
        /** @type {const} */ ([`${name}/${path}`, { bytes: Buffer.from(text), mode: 0o644 }]),
    ),
  ]);
}
