import { Plugin } from '@oclif/core/config';

/**
 * @typedef {{
 *   summary?: string, options?: string[], helpValue?: string, helpGroup?: string, char?: string, type: string,
 *   hidden?: boolean, required?: boolean, multiple?: boolean, description?: string, name: string, default?: unknown,
 * }} ManifestFlag
 * @typedef {{
 *   id: string, summary?: string, description?: string, examples?: string[], endpoint?: string | null, hidden?: boolean,
 *   args: Record<string, { name: string, description?: string, required?: boolean, hidden?: boolean }>,
 *   typedArguments: string | null,
 *   flags: Record<string, ManifestFlag>,
 * }} ManifestCommand
 * @typedef {{ version: string, commands: Record<string, ManifestCommand> }} Manifest
 */

const UNKNOWN_TO_OCLIF = ['exits', 'needs', 'namesGlobal', 'globalSummaries', 'heeds', 'words'];

/** @param {string} root @returns {Promise<Manifest>} */
export async function manifestOf(root) {
  const plugin = new Plugin({
    errorOnManifestCreate: true,
    ignoreManifest: true,
    respectNoCacheDefault: true,
    root,
    type: 'core',
  });
  await plugin.load();
  const commands = Object.entries(plugin.manifest.commands).sort(([a], [b]) => (a < b ? -1 : 1));
  const known = (/** @type {string} */ name, /** @type {unknown} */ value) =>
    UNKNOWN_TO_OCLIF.includes(name) ? undefined : value;
  return JSON.parse(JSON.stringify({ ...plugin.manifest, commands: Object.fromEntries(commands) }, known));
}
