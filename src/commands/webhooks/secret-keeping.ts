/** Keeps the signing secret that a registration answers with: provably storable before it is asked for, stored before it is shown. */
import type { Conversation } from '../../client/client.js';
import { proveWritable, storeSecret } from '../../profile/secrets.js';
import { systemStores } from '../../profile/stores.js';
import { Failure } from '../../runtime/failure.js';
import { serviceAddressOf } from '../../cli/session/address.js';
import type { SessionRun } from '../../cli/session/session.js';
import { commandLine } from '../../runtime/shell.js';

/**
 * Registers and keeps the secret under address and environment; the one before stays beside it for 24 hours.
 * @throws Failure `local_state` or `locked`: before anything is sent, or with outcome `sent` where the secret was answered and is lost
 */
export async function keepSecretOf(
  register: () => Promise<Conversation>,
  { session, ports, typed }: SessionRun,
): Promise<Conversation> {
  const stores = systemStores(ports.paths, ports.clock);
  const { address, environment } = serviceAddressOf(session);
  const note = await proveWritable(stores);
  const conversation = await register();
  const secret = secretIn(conversation);
  if (secret === null) return conversation;
  session.redactor.add([secret]);
  try {
    const now = await storeSecret(stores, { address, environment }, secret, ports.clock.now());
    if (now !== null || note !== null) await session.note(now ?? note ?? '');
  } catch (error) {
    throw error instanceof Failure ? secretLost(error, typed) : error;
  }
  return conversation;
}

/** The secret of a successful registration (section 4); the client has made sure that a success has one. */
function secretIn({ attempts }: Conversation): string | null {
  const last = attempts.at(-1);
  if (last?.kind !== 'success') return null;
  const { secret } = last.value as { readonly secret?: unknown };
  return typeof secret === 'string' ? secret : null;
}

function secretLost(error: Failure, typed: readonly string[]): Failure {
  return new Failure(
    error.kind,
    'The URL is registered, but svc could not store its secret and does not show it. The previous secret stays valid for ' +
      `24 hours. ${error.message} Then register again.`,
    { outcome: 'sent', nextCommand: commandLine(['svc', ...typed]), cause: error },
  );
}
