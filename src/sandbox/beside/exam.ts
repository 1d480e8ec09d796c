import { jsonIn } from '../../contract/json.js';
import { momentText } from '../../contract/notation.js';
import { isObject } from '../../contract/shape.js';
import { Failure } from '../../runtime/failure.js';
import type { Environ } from '../../runtime/ports.js';
import { NotAnswered, type HttpAnswer, type Transport } from '../../runtime/transport.js';
import type { CommandSandboxSettings } from './sandbox.js';

export function examAddress(env: Environ): string | null {
  const text = env['SVC_CERTIFY'] ?? '';
  if (text === '') return null;
  const [, address] = /^(http:\/\/127\.0\.0\.1:[0-9]{1,5})\/?$/.exec(text) ?? [];
  if (address !== undefined) return address;
  throw new Failure(
    'usage',
    'SVC_CERTIFY must be the address of an exam on this machine, as svc certify sets it: http://127.0.0.1:PORT. Unset it to open a sandbox without an exam.',
  );
}

export async function openAtExam(
  address: string,
  { code, isLive, settleAfterSeconds, keysOfRefused, nowMs = null, ids }: CommandSandboxSettings,
  transport: Transport,
) {
  const send = (method: string, url: string, body: Uint8Array | null): Promise<HttpAnswer> =>
    transport(
      { method, url, headers: body === null ? {} : { 'Content-Type': 'application/json' }, body },
      { timeoutMs: 30_000 },
    );
  const settings = {
    ...{ code, ...(isLive ? { live: true } : {}), settle_after_seconds: settleAfterSeconds },
    ...(keysOfRefused === 'remember' && { keys_of_refused: keysOfRefused }),
    ...(nowMs !== null && { now: momentText(nowMs) }),
    ...(ids === 'fixed' && { ids }),
  };
  const answer = await send('POST', `${address}/sandboxes`, Buffer.from(JSON.stringify(settings))).catch(
    (error: unknown) => {
      if (error instanceof NotAnswered) throw noExamFailure(address, error);
      throw error;
    },
  );
  const body = answer.status === 201 ? jsonIn(answer.body) : null;
  const { base_url: baseUrl, api_key: apiKey } = isObject(body) ? body : {};
  const [, port] = /^http:\/\/127\.0\.0\.1:([0-9]{1,5})$/.exec(String(baseUrl)) ?? [];
  if (port === undefined || typeof apiKey !== 'string') throw noExamFailure(address);
  const sandboxUrl = `http://127.0.0.1:${port}`;
  return {
    baseUrl: sandboxUrl,
    port: Number(port),
    apiKey,
    control: (method: string, path: string, bytes: Uint8Array | null) =>
      send(method, `${sandboxUrl}/_control/${path}`, bytes),
    close: async (): Promise<void> => {
      await send('DELETE', `${address}/sandboxes/${port}`, null).catch((error: unknown) => {
        if (!(error instanceof NotAnswered)) throw error;
      });
    },
  };
}

const noExamFailure = (address: string, cause?: NotAnswered): Failure =>
  new Failure(
    'network',
    `No exam opens a sandbox at ${address} (SVC_CERTIFY). Unset SVC_CERTIFY to open one without an exam.`,
    { ...(cause === undefined ? {} : { cause }), concernsMoney: false },
  );
