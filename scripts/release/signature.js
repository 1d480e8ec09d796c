import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Missing } from './tools.js';

/** `packaging/install.sh` has the same word. */
const NAMESPACE = 'svc-release';
const NO_KEYGEN = 'No signature: there is no ssh-keygen here (OpenSSH 8.8 or newer).';

/** ssh-keygen asks for the passphrase only when it signs. @param {string} key */
export function requireKey(key) {
  const { error, status } = spawnSync('ssh-keygen', ['-l', '-f', key], { stdio: 'ignore' });
  if (error !== undefined) throw new Missing(NO_KEYGEN);
  if (status !== 0) throw new Missing(`No signature: ${key} is no key of ssh. Nothing was made.`);
}

/** @param {string} folder @param {string} key */
export function signSums(folder, key) {
  const sums = join(folder, 'SHA256SUMS');
  // ssh-keygen asks before it overwrites a file.
  rmSync(`${sums}.sig`, { force: true });
  const args = ['-q', '-Y', 'sign', '-n', NAMESPACE, '-f', key, sums];
  const { error, status } = spawnSync('ssh-keygen', args, { stdio: ['inherit', 'inherit', 'inherit'] });
  if (error !== undefined) throw new Missing(NO_KEYGEN);
  if (status !== 0 || !existsSync(`${sums}.sig`))
    throw new Missing(`No signature: ssh-keygen did not sign with ${key}.`);
}
