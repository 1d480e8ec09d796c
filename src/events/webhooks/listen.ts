import { join } from 'node:path';
import { lineLog, listenFailure, readPort } from '../../command/line/local-server.js';
import { escapeText } from '../../output/escape.js';
import { Failure } from '../../runtime/failure.js';
import { ensurePrivateFolder } from '../../runtime/folders.js';
import { type Ports, withEndText, untilStopped } from '../../runtime/ports.js';
import { ReaderGone } from '../../runtime/streams.js';
import { receive } from './reception.js';
import { forwardingSecret } from './open-receiver.js';
import { eventWriter } from '../print-sink.js';
import { renderNote } from '../../output/error-prose.js';
import { findSecrets, hasSecrets, type SecretFlags } from './secrets.js';

const STALE_SECRETS_HINT =
  'If you registered a URL after svc began to listen, stop svc with Ctrl-C and start it again: it reads the secrets only once.';

const GRACE_MS = 2000;

export async function listen(ports: Ports, flags: SecretFlags & { readonly port: string }): Promise<void> {
  const port = readPort(flags.port);
  const write = await eventWriter(ports, flags);
  const secretSets = await findSecretSets(ports, flags);
  const { openSeen } = await import('./seen.js');
  const { serveReceiver } = await import('./receiver-server.js');
  ensurePrivateFolder(ports.paths.state);
  const seenEvents = openSeen(join(ports.paths.state, 'webhooks.db'));
  const log = lineLog(ports.errors, 'deliveries');
  const say = (text: string): void => {
    if (!flags.quiet) log(renderNote(escapeText(text), ports.errors).trimEnd());
  };
  let hasAdvised = hasSecrets(ports, flags);
  const outputFailure = Promise.withResolvers<never>();
  const reception = receive({
    secretSets,
    seen: seenEvents,
    nowMs: () => ports.clock.now(),
    handOver: async ({ id }, body) => {
      try {
        await write({ body }, [{ id, start: 0, end: body.length }]);
      } catch (error) {
        if (error instanceof ReaderGone) outputFailure.reject(error);
        throw error;
      }
      await ports.output.durable().catch((error: unknown) => {
        outputFailure.reject(error);
        throw error;
      });
    },
    onRemark: ({ text, reason }) => {
      say(text);
      if (reason !== 'signature_mismatch' || hasAdvised) return;
      hasAdvised = true;
      say(STALE_SECRETS_HINT);
    },
  });
  try {
    const server = await serveReceiver(reception, port).catch((error: unknown) => {
      throw listenFailure(error, port);
    });
    say(`Listening on http://127.0.0.1:${server.port}/ (any path). Stop it with Ctrl-C.`);
    await untilStopped(outputFailure.promise, ports.signal).finally(async () => {
      const grace = new AbortController();
      ports.clock.sleep(GRACE_MS, grace.signal).then(
        () => server.cut(),
        () => undefined,
      );
      await server.close();
      grace.abort();
    });
  } catch (error) {
    throw withEndText(error, 'Accepted events are on standard output.');
  } finally {
    seenEvents.close();
  }
}

async function findSecretSets(ports: Ports, flags: SecretFlags): Promise<readonly (readonly string[])[]> {
  if (hasSecrets(ports, flags)) return [await findSecrets(ports, flags, ports.clock.now())];
  const forwardingSecrets = [await forwardingSecret(ports)];
  try {
    return [await findSecrets(ports, flags, ports.clock.now()), forwardingSecrets];
  } catch (error) {
    if (error instanceof Failure && error.kind === 'usage') return [forwardingSecrets];
    throw error;
  }
}
