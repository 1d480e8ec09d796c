/** The test kit of the examined command opens its sandboxes at this server, so that the exam sees their requests. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { CommandSandbox, CommandSandboxSettings } from '../../sandbox/beside/sandbox.js';
import { jsonIn } from '../../contract/json.js';
import { anyObject, detailsOf, integer, object, oneOf, optional } from '../../contract/shape.js';
import { type Shaped, textLike, textThat, withoutNulls } from '../../contract/shape.js';
import { KEYS_OF_REFUSED } from '../../contract/sandbox-code.js';
import { checkHost, checkSite } from '../../sandbox/http/access.js';
import { explainedRefusal, readTime, SEED_QUERY, STATE_MAX_BYTES } from '../../sandbox/control/call.js';
import { loadStateReader } from '../../sandbox/control/state.js';
import { answerWithReason, controlRequest, jsonAnswer, type SandboxAnswer } from '../../sandbox/message.js';
import { requestOf, writeAnswer } from '../../sandbox/wire/http.js';
import { ID_CHOICES } from '../../sandbox/sandbox.js';
import { SETTLE_AFTER_MAX_S } from '../../sandbox/settings.js';
import type { AddressInfo } from 'node:net';

interface AddressPorts {
  readonly open: (settings: CommandSandboxSettings) => Promise<CommandSandbox>;
  readonly close: (port: number) => Promise<boolean>;
}

const newSandboxShape = object({
  code: optional(textLike(/^[0-9]{6}$/, 'six digits')),
  live: optional(oneOf([true, false] as unknown as string[])),
  settle_after_seconds: optional(integer(0, SETTLE_AFTER_MAX_S)),
  keys_of_refused: optional(oneOf(KEYS_OF_REFUSED)),
  now: optional(textThat((text) => readTime(text) !== null, 'a time such as 2026-01-05T09:00:00Z')),
  ids: optional(oneOf(ID_CHOICES)),
  state: optional(anyObject),
});

export async function openAddress(ports: AddressPorts) {
  const server = createServer((request, response) => {
    answerTo(request, ports).then(
      (answer) => writeAnswer(answer, response, false),
      () => response.destroy(),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    close: (): Promise<void> =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answerTo(incoming: IncomingMessage, ports: AddressPorts): Promise<SandboxAnswer> {
  const request = requestOf(incoming, new Uint8Array());
  const { method, target } = request;
  const refusal = checkHost(request) ?? checkSite(request);
  if (refusal !== null) return answerWithReason(refusal);
  if (method === 'POST' && target === '/sandboxes') return openSandbox(await bodyOf(incoming), ports);
  const [, port] = /^\/sandboxes\/([0-9]{1,5})$/.exec(target) ?? [];
  if (method !== 'DELETE' || port === undefined) {
    const message = 'An exam has POST /sandboxes and DELETE /sandboxes/PORT.';
    return answerWithReason({ refusal: 'route_not_found', message });
  }
  if (await ports.close(Number(port))) return jsonAnswer(200, '{}');
  return answerWithReason({ refusal: 'not_found', message: `This exam has no sandbox at port ${port}.` });
}

async function openSandbox(body: Uint8Array, { open, close }: AddressPorts): Promise<SandboxAnswer> {
  const sentSettings = body.length === 0 ? {} : jsonIn(body);
  const details = detailsOf(newSandboxShape, sentSettings);
  if (details.length > 0) return answerWithReason(explainedRefusal(details, newSandboxShape));
  const settings = withoutNulls(sentSettings as Readonly<Record<string, unknown>>, ['state']) as Shaped<
    typeof newSandboxShape
  >;
  const { code = '123456', live, settle_after_seconds: settleAfterSeconds = 0, state } = settings;
  const { keys_of_refused: keysOfRefused = 'forget', now, ids } = settings;
  if (state !== undefined) await loadStateReader();
  const commandSandbox = await open({
    ...{ code, settleAfterSeconds, keysOfRefused, isLive: Boolean(live) },
    ...{ nowMs: readTime(now), ids: ids ?? 'random' },
  });
  if (state !== undefined) {
    const upload = controlRequest('PUT', `state?${SEED_QUERY}`, Buffer.from(JSON.stringify(state)));
    const uploadAnswer = commandSandbox.sandbox.handle(upload);
    if (uploadAnswer.status !== 200) {
      await close(commandSandbox.port);
      const { error } = jsonIn(uploadAnswer.body) as { readonly error: { readonly message: string } };
      return answerWithReason({ refusal: 'field_invalid', message: error.message });
    }
  }
  const baseUrl = `http://127.0.0.1:${String(commandSandbox.port)}`;
  const answer = { base_url: baseUrl, control_url: `${baseUrl}/_control`, api_key: commandSandbox.apiKey };
  return jsonAnswer(201, JSON.stringify(answer));
}

async function bodyOf(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > STATE_MAX_BYTES) throw new Error('The body is larger than a state may be.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
