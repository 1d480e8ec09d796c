/** Tries a stored key by one read that changes nothing. */
import { conclude } from '../../client/conclusion.js';
import { isApiKey, readKeyText } from '../../profile/key-text.js';
import type { Ports } from '../../runtime/ports.js';
import type { GlobalFlags } from '../../cli/command.js';
import { openSession } from '../../cli/session/session.js';

/** One read with the stored key: what it says, in words. A key that is refused stays stored. */
export async function verifyKey(
  ports: Ports,
  flags: GlobalFlags,
  profile: string,
  key: string,
): Promise<string> {
  const read = readKeyText(key);
  const isLive = isApiKey(read) && read.environment === 'live';
  const session = await openSession(ports, {
    ...flags,
    profile,
    live: isLive,
    sandbox: !isLive,
    quiet: true,
  });
  try {
    const asked = await session.client.call('capabilities', {}, { attemptsMax: 1, signal: ports.signal });
    const { exitCode, error } = conclude(asked);
    if (exitCode === 0) return `The service accepted the key (${session.environment}).`;
    const verdict = exitCode === 4 ? 'but the service did not accept it' : 'but it could not be tried';
    return `The key is stored, ${verdict}: ${error?.message ?? 'no reason was given.'}`;
  } finally {
    await session.close();
  }
}
