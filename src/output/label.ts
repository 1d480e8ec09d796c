/** Names of members and classes as the labels that a person reads. Pure. */

/** `not_sent` is "Not sent", `stopped.by` "Stopped by". */
export function labelFor(name: string): string {
  const words = name.replaceAll(/[._]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
