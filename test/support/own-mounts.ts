/** These scripts change files of root. They run in a mount namespace with a copy of `/etc`, so this machine stays as it is. */
import { execFile, execFileSync } from 'node:child_process';

export const NOBODY = 65_534;

const PRIVATE = `set -e
mount -t tmpfs -o mode=755 tmpfs /mnt
cp -a /etc/. /mnt/
mount --bind /mnt /etc
umount /mnt
mount -t tmpfs -o mode=755 tmpfs /mnt
`;

export const HAS_OWN_MOUNTS: boolean = isPossible();

function isPossible(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  try {
    execFileSync('unshare', ['-m', 'sh', '-c', `${PRIVATE}setpriv --reuid=${NOBODY} --clear-groups true`], {
      stdio: 'ignore',
    });
    return true;
  } catch {
    return false;
  }
}

export const AS_NOBODY = `setpriv --reuid=${NOBODY} --regid=${NOBODY} --clear-groups`;

export interface ScriptEnd {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export function inOwnMounts(script: string, env: NodeJS.ProcessEnv = process.env): Promise<ScriptEnd> {
  const args = ['-m', '--kill-child', '--fork', '--pid', '--mount-proc', 'sh', '-c', PRIVATE + script];
  return new Promise((resolve) => {
    execFile('unshare', args, { env, maxBuffer: 64 * 2 ** 20 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 128;
      resolve({ exitCode: code, stdout, stderr });
    });
  });
}
