import { manifestOf } from './manifest.js';
import { pagesOf } from './pages.js';
import { loadSource } from './source.js';

/** @param {string} root @returns {Promise<Map<string, string>>} */
export async function generate(root) {
  const [
    manifest,
    { COMMANDS, TOPICS },
    { ENDPOINTS },
    { EXIT_MEANINGS, exitCodesOf, exitRows },
    { stateSchema },
  ] = await Promise.all([
    manifestOf(root),
    import('./commands.js'),
    loadSource(root, 'src/contract/endpoints.ts'),
    loadSource(root, 'src/command/help/exit-codes.ts'),
    loadSource(root, 'src/sandbox/state/document.ts'),
  ]);
  const pages = pagesOf({
    manifest,
    endpoints: ENDPOINTS,
    topics: TOPICS,
    exitRows: exitRows(Object.keys(EXIT_MEANINGS).map(Number)),
    exitCodesOf: (id) => exitCodesOf(COMMANDS[id]),
  });
  return new Map([
    ['oclif.manifest.json', `${JSON.stringify(manifest, null, 2)}\n`],
    ['docs/sandbox-state.schema.json', stateSchema()],
    ...[...pages].map(([name, text]) => /** @type {const} */ ([`docs/reference/${name}`, text])),
  ]);
}
