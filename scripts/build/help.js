import { createRequire } from 'node:module';
import { loadBuilt } from './program.js';

const { write } = createRequire(import.meta.url)('../../bin/container.js');

const PIPE = { isTTY: false, columns: 0, env: {}, noColour: false };

/** @param {string} root @returns {Promise<Buffer>} */
export async function helpPages(root) {
  const { helpPage } = loadBuilt(root, 'main.js');
  const commands = await loadBuilt(root, 'all.js').allCommands();
  const ids = Object.keys(commands).map((id) => id.replaceAll(':', ' '));
  const topics = ids.map((id) => id.split(' ')[0] ?? id);
  const { renderPage } = loadBuilt(root, 'command/help/layout.js');
  const pages = [...new Set(['', 'flags', 'all', ...topics, ...ids])].map(async (path) => {
    const name = path.replaceAll(' ', '.') || 'svc';
    const page = await helpPage(path);
    return [
      [name, Buffer.from(JSON.stringify(page))],
      [`${name}.txt`, Buffer.from(renderPage(page, PIPE))],
    ];
  });
  return write({}, (await Promise.all(pages)).flat());
}
