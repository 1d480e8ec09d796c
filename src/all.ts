/** All commands at once in oclif's form, for the manifest and the reference. Never loaded at run time. */
import { REGISTRY, VOCABULARY } from './registry.js';

export async function allCommands() {
  const entries = Object.entries(REGISTRY).map(async ([id, load]) => {
    return [id.replaceAll(' ', ':'), await load()] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}
export const TOPICS = Object.fromEntries(VOCABULARY.topics);
