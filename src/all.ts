/** All commands at once in oclif's form, for the manifest and the reference. Never loaded at run time. */
import { REGISTRY, VOCABULARY } from './registry.js';

/** Loads all commands, by oclif's ids. */
export async function allCommands() {
  const entries = Object.entries(REGISTRY).map(async ([id, load]) => {
    return [id.replaceAll(' ', ':'), await load()] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}
/** A description for each topic. */
export const TOPICS = Object.fromEntries(VOCABULARY.topics);
