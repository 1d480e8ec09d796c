/** Signing secrets as text: one, or two during a rotation, separated by white space. Pure. */

/** During a rotation the newest secret and the one it replaced are valid (section 6). */
const SECRETS_MAX = 2;

export type SecretsRead =
  | { readonly secrets: readonly string[] }
  /** What is wrong, in words that follow the name of the source; no secret is in it. */
  | { readonly problem: string };

/** The secrets in a text, in their order; white space around them is no part of them, so that a file may end with a newline. */
export function readSecrets(text: string): SecretsRead {
  const secrets = text.split(/\s+/).filter((part) => part !== '');
  if (secrets.length === 0) return { problem: 'holds no secret' };
  if (secrets.length > SECRETS_MAX) {
    return { problem: `holds ${secrets.length} secrets, and at most ${SECRETS_MAX} are valid at a time` };
  }
  if (/[\p{Cc}\uFFFD]/u.test(secrets.join(''))) return { problem: 'holds bytes that are no text' };
  return { secrets };
}

/**
 * Refuses secrets that nothing may be verified with: an empty one would verify what anybody signed with no key at all.
 * @throws RangeError
 */
export function requireSecrets(secrets: readonly string[]): void {
  if (secrets.length === 0 || secrets.length > SECRETS_MAX)
    throw new RangeError('one or two signing secrets');
  if (secrets.some((secret) => secret === '' || /\s/.test(secret))) {
    throw new RangeError('a signing secret is never empty and holds no white space');
  }
}
