/** All commands at once, in the form oclif's own tools read: for the manifest and the reference, never at run time. */
import { REGISTRY, VOCABULARY } from './registry.js';

/** By oclif's ids. */
export async function allCommands() {
  const entries = Object.entries(REGISTRY).map(async ([id, load]) => {
    return [id.replaceAll(' ', ':'), await load()] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}
/** What each topic is about. */
export const TOPICS = Object.fromEntries(VOCABULARY.topics);
