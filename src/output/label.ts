/** Names of members and classes as the labels that a person reads. Pure. */

/** What is written in capitals in any sentence. */
const CAPITALS = /\b(url|api)\b/gi;

/** Names that say too little by themselves. */
const WHOLE: Readonly<Record<string, string>> = {
  ms: 'Took (ms)',
  wall_at: "This machine's time",
  armed: 'Armed faults',
  cleared: 'Cleared faults',
  'keys.sandbox.key': 'Sandbox key',
  'keys.sandbox.stored': 'Sandbox key is in',
  'keys.live.key': 'Live key',
  'keys.live.stored': 'Live key is in',
};

/** `not_sent` is "Not sent", `stopped.by` "Stopped by", `base_url` "Base URL". */
export function labelFor(name: string): string {
  if (Object.hasOwn(WHOLE, name)) return WHOLE[name] ?? name;
  const words = name.replaceAll(/[._]/g, ' ').replaceAll(CAPITALS, (word) => word.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}
