/** Notifies systemd by its own program, because Node has no sockets of that kind. A missing or failing program is reported once. */
import { runAside } from '../../runtime/child.js';
import { errorCode } from '../../runtime/disk.js';
import type { Environ } from '../../runtime/ports.js';

const PROGRAM = 'systemd-notify';
/** It answers at once, or nobody is there who reads. */
const LIMIT_MS = 2000;

/** @param complain says once why systemd hears nothing */
export function systemdNotify(
  env: Environ,
  complain: (text: string) => Promise<void>,
): (words: readonly string[]) => Promise<void> {
  let hasFailed = false;
  const fail = async (how: string): Promise<void> => {
    if (hasFailed) return;
    hasFailed = true;
    await complain(`${how}, so systemd does not learn the state of this service. A watchdog would stop it.`);
  };
  // No key, and nothing else of what this process was given.
  const known = Object.fromEntries(['PATH', 'NOTIFY_SOCKET'].map((name) => [name, env[name]]));
  return async (words) => {
    try {
      const { exitCode } = await runAside([PROGRAM, ...words], { env: known, timeoutMs: LIMIT_MS });
      if (exitCode !== 0) await fail(`${PROGRAM} failed`);
    } catch (error) {
      const isMissing = errorCode(error) === 'ENOENT';
      await fail(isMissing ? `${PROGRAM} is not on the PATH` : `${PROGRAM} could not be started`);
    }
  };
}
