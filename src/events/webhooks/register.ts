import {
  callEndpoint,
  sendCall,
  type EndpointInput,
  type EndpointRun,
  type EndpointSession,
} from '../../command/call.js';
import { Failure, usageFailure } from '../../runtime/failure.js';
import type { Conversation } from '../../client/client.js';
import { proveWritable, storeSecret } from '../../session/webhook-secrets.js';
import { systemStores } from '../../session/key-stores.js';
import { serviceAddressOf } from '../../session/address.js';
import { commandLine } from '../../runtime/shell.js';
import type { SessionRun } from '../../command/command.js';

export async function registerUrl(run: EndpointRun, url: string): Promise<void> {
  const sandbox = { isOnThisMachine: false };
  const fill = ({ session }: SessionRun): EndpointInput => {
    const isHttps = URL.canParse(url) && new URL(url).protocol === 'https:';
    if (!isHttps && !(URL.canParse(url) && isLoopback(url) && session.environment === 'sandbox'))
      throw usageFailure('--url must be a full URL that begins with https://.');
    sandbox.isOnThisMachine = session.target.kind === 'embedded' || isLoopback(session.serviceUrl);
    return { body: Buffer.from(JSON.stringify({ url })) };
  };
  try {
    await callEndpoint(run, fill, registerAndStoreSecret);
  } catch (error) {
    const isRefusal = error instanceof Failure && error.facts.details?.some(({ field }) => field === 'url');
    if (!isRefusal || !sandbox.isOnThisMachine || !isLoopback(url)) throw error;
    const advice = [`For http:// on this machine, start the sandbox with a flag: ${START_COMMAND}`];
    const facts = { ...error.facts, advice, nextCommand: START_COMMAND, cause: error };
    throw new Failure(error.kind, error.head, facts);
  }
}

const START_COMMAND = 'svc sandbox start --allow-http-webhooks';

function isLoopback(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && /^(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])$/.test(hostname);
}

async function registerAndStoreSecret(run: EndpointSession, input: EndpointInput): Promise<Conversation> {
  const { session, ports, typed } = run;
  const stores = systemStores(ports.paths, ports.clock);
  const { address, environment } = serviceAddressOf(session);
  const note = await proveWritable(stores);
  const conversation = await sendCall(run, input);
  const lastAttempt = conversation.attempts.at(-1);
  if (lastAttempt?.kind !== 'success') return conversation;
  const { secret } = lastAttempt.value as { readonly secret?: unknown };
  if (typeof secret !== 'string') return conversation;
  session.redactor.add([secret]);
  try {
    const storeNote = await storeSecret(stores, { address, environment }, secret, ports.clock.now());
    if (storeNote !== null || note !== null) await session.note(storeNote ?? note ?? '');
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new Failure(
      error.kind,
      'The URL is registered, but svc could not store its secret and does not show it. The previous secret stays valid for ' +
        `24 hours. ${error.message} Then register again.`,
      { outcome: 'sent', nextCommand: commandLine(['svc', ...typed]), cause: error },
    );
  }
  return conversation;
}
