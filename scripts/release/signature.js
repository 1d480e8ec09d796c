/** The signature of a release: one over its sums, made by the system's ssh-keygen, which asks for what the key needs. */
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Missing } from './tools.js';

/** A signature for something else is none of a release. `packaging/install.sh` has the same word. */
const NAMESPACE = 'svc-release';

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
  if (error !== undefined)
    throw new Missing('No signature: there is no ssh-keygen here (OpenSSH 8.8 or newer).');
  if (status !== 0 || !existsSync(`${sums}.sig`))
    throw new Missing(`No signature: ssh-keygen did not sign with ${key}.`);
}
