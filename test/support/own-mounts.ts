/** Scripts that change what only root may: they run in a mount namespace of their own, whose `/etc` is a copy, so that this machine stays as it is. */
import { execFile, execFileSync } from 'node:child_process';

export const NOBODY = 65_534;

/** In the namespace, before the script: a copy of `/etc`, and an empty `/mnt`, in memory. */
const PRIVATE = `set -e
mount -t tmpfs -o mode=755 tmpfs /mnt
cp -a /etc/. /mnt/
mount --bind /mnt /etc
umount /mnt
mount -t tmpfs -o mode=755 tmpfs /mnt
`;

/** True where this machine lets us: Linux, as root, with the right to mount. */
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

/** Runs a script of `sh` as root there, and ends what it began. */
export function inOwnMounts(script: string, env: NodeJS.ProcessEnv = process.env): Promise<ScriptEnd> {
  const args = ['-m', '--kill-child', '--fork', '--pid', '--mount-proc', 'sh', '-c', PRIVATE + script];
  return new Promise((resolve) => {
    execFile('unshare', args, { env, maxBuffer: 64 * 2 ** 20 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 128;
      resolve({ exitCode: code, stdout, stderr });
    });
  });
}
