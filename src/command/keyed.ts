/** Sends a keyed request: its key is said and its bytes are durable before anything leaves, and kept until the outcome is known. */
import { join } from 'node:path';
import type { Conversation } from '../client/client.js';
import { conclude, type Conclusion } from '../client/conclusion.js';
import type { Prepared } from '../client/preparation.js';
import type { Intent } from '../journal/intent.js';
import type { Journal } from '../journal/journal.js';
import { isApiKey, maskOf, readKeyText, showMask } from '../profile/key-text.js';
import { ensurePrivateFolder } from '../runtime/folders.js';
import type { Ports } from '../runtime/ports.js';
import type { Session } from './session.js';

/** Where the journal is. @throws Failure `local_state` where it can't be used */
export async function openRequests(ports: Ports): Promise<Journal> {
  ensurePrivateFolder(ports.paths.state);
  const { openJournal } = await import('../journal/journal.js');
  return openJournal(join(ports.paths.state, 'requests.db'));
}

/**
 * Sends it, every attempt with the same key and bytes.
 * @throws Failure `local_state` where it could not be made durable: then nothing was sent
 */
export async function sendKeyed(session: Session, ports: Ports, prepared: Prepared): Promise<Conversation> {
  const journal = await openRequests(ports);
  try {
    const kept = journal.record(intentOf(session, ports, prepared));
    await ports.errors.write(`Idempotency-Key: ${kept.idempotencyKey}\n`);
    const conversation = await session.client.send(prepared, { signal: ports.signal });
    const conclusion = conclude(conversation);
    if (settlesAll(conclusion)) journal.settleAll(kept);
    else if (conclusion.outcome === 'unknown') journal.keep(kept);
    else journal.settle(kept);
    return conversation;
  } finally {
    journal.close();
  }
}

/**
 * True where the answer settles every sending of these bytes with this key: an operation in hand, or a refusal that a replay of
 * an operation would have come before. Anything else (401, 503) says nothing about an earlier sending.
 */
export function settlesAll({ operation, exitCode }: Conclusion): boolean {
  return operation !== null || exitCode === 6 || exitCode === 7;
}

/** The API key by its prefix and last four characters. */
export function maskOfKey(text: string): string {
  const key = readKeyText(text);
  return isApiKey(key) ? showMask(maskOf(key)) : '';
}

/** The address by which a journal knows a service; the sandbox inside has none of its own. */
export function addressOf(session: Session): string {
  return session.target.kind === 'embedded' ? 'embedded' : session.serviceUrl;
}

function intentOf(session: Session, ports: Ports, { endpointId, idempotencyKey, request }: Prepared): Intent {
  return {
    idempotencyKey: idempotencyKey ?? '',
    endpoint: endpointId ?? 'payins.create',
    environment: session.environment,
    address: addressOf(session),
    path: request.url.slice(session.serviceUrl.length),
    body: request.body ?? new Uint8Array(),
    keyMask: maskOfKey(session.key),
    createdAtMs: ports.clock.now(),
  };
}
