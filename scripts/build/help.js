/** Every page of help as a file, put together by the program that was just built: bin/pages.js lays it out before anything else loads. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * @param {string} dist the folder of the build
 * @returns {Promise<Map<string, string>>} file name to text: `help/payins.create.json`, `help/payins.json`, `help/svc.json`
 */
export async function helpPages(dist) {
  const [{ helpPage }, { COMMANDS }] = await Promise.all(
    ['main.js', 'commands/all.js'].map((name) => import(pathToFileURL(join(dist, name)).href)),
  );
  const ids = Object.keys(COMMANDS).map((id) => id.replaceAll(':', ' '));
  const topics = ids.map((id) => id.split(' ')[0] ?? id);
  const pages = [...new Set(['', ...topics, ...ids])].map(async (path) => {
    return /** @type {const} */ ([
      `help/${path.replaceAll(' ', '.') || 'svc'}.json`,
      JSON.stringify(await helpPage(path)),
    ]);
  });
  return new Map(await Promise.all(pages));
}
