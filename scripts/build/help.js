/** Every page of help in one file, put together by the program that was just built: bin/pages.js lays a page out before anything else loads. */
import { createRequire } from 'node:module';
import { loadBuilt } from './program.js';

const { write } = createRequire(import.meta.url)('../../bin/container.js');

/**
 * @param {string} root the project's folder, with its pack
 * @returns {Promise<Buffer>} a part for each page: `payins.create`, `payins`, `svc`
 */
export async function helpPages(root) {
  const { helpPage } = loadBuilt(root, 'main.js');
  const commands = await loadBuilt(root, 'commands/all.js').allCommands();
  const ids = Object.keys(commands).map((id) => id.replaceAll(':', ' '));
  const topics = ids.map((id) => id.split(' ')[0] ?? id);
  const pages = [...new Set(['', ...topics, ...ids])].map(async (path) => [
    path.replaceAll(' ', '.') || 'svc',
    Buffer.from(JSON.stringify(await helpPage(path))),
  ]);
  return write({}, await Promise.all(pages));
}
