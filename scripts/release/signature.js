/** The signature of a release: one over its sums, made by the system's ssh-keygen, which asks for what the key needs. */
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Missing } from './tools.js';

/** A signature for something else is none of a release. `packaging/install.sh` has the same word. */
const NAMESPACE = 'svc-release';
const NO_KEYGEN = 'No signature: there is no ssh-keygen here (OpenSSH 8.8 or newer).';

/**
 * Refuses what is no key before anything is made. Whether it may sign is known when it signs: only then ssh-keygen asks for its passphrase.
 * @param {string} key as of `signSums`
 */
export function requireKey(key) {
  const { error, status } = spawnSync('ssh-keygen', ['-l', '-f', key], { stdio: 'ignore' });
  if (error !== undefined) throw new Missing(NO_KEYGEN);
  if (status !== 0) throw new Missing(`No signature: ${key} is no key of ssh. Nothing was made.`);
}

/**
 * Writes `SHA256SUMS.sig` beside the sums.
 * @param {string} folder of the release
 * @param {string} key a private key, or a public one whose private half an agent holds
 */
export function signSums(folder, key) {
  const sums = join(folder, 'SHA256SUMS');
  // It asks before it overwrites, and what is there is of other sums.
  rmSync(`${sums}.sig`, { force: true });
  const args = ['-q', '-Y', 'sign', '-n', NAMESPACE, '-f', key, sums];
  const { error, status } = spawnSync('ssh-keygen', args, { stdio: ['inherit', 'inherit', 'inherit'] });
  if (error !== undefined) throw new Missing(NO_KEYGEN);
  if (status !== 0 || !existsSync(`${sums}.sig`))
    throw new Missing(`No signature: ssh-keygen did not sign with ${key}.`);
}
