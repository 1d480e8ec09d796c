/** A sandbox of the exam that is under way (`SVC_CERTIFY`): who would open one of his own asks the exam for it, which sees what happens there. */
import { jsonIn } from '../../contract/json.js';
import { isObject } from '../../contract/shape.js';
import { Failure } from '../../runtime/failure.js';
import type { Environ } from '../../runtime/ports.js';
import { NotAnswered, type HttpAnswer, type Transport } from '../../runtime/transport.js';
import type { BesideSettings } from './sandbox.js';

export interface ExamSandbox {
  /** `http://127.0.0.1:PORT`. */
  readonly baseUrl: string;
  readonly port: number;
  /** A live one where that was asked for. */
  readonly apiKey: string;
  /** One request to its control. @param path below `/_control` @throws NotAnswered */
  control(
    method: string,
    path: string,
    body: Uint8Array | null,
  ): Promise<Pick<HttpAnswer, 'status' | 'body'>>;
  /** Everything of it is gone when it resolves; also where the exam is over already. */
  close(): Promise<void>;
}

const LIMIT_MS = 30_000;

/** Where the exam listens; null where none is under way. @throws Failure `usage` */
export function examAddress(env: Environ): string | null {
  const given = env['SVC_CERTIFY'] ?? '';
  if (given === '') return null;
  const [, address] = /^(http:\/\/127\.0\.0\.1:[0-9]{1,5})\/?$/.exec(given) ?? [];
  if (address !== undefined) return address;
  throw new Failure(
    'usage',
    'SVC_CERTIFY must be the address of an exam on this machine, as svc certify sets it: http://127.0.0.1:PORT. Unset it to open a sandbox without an exam.',
  );
}

/** @throws Failure `network` where no exam answers there, or it opens none */
export async function openAtExam(
  address: string,
  { code, isLive, settleAfterSeconds, keysOfRefused }: BesideSettings,
  transport: Transport,
): Promise<ExamSandbox> {
  const send = (method: string, url: string, body: Uint8Array | null): Promise<HttpAnswer> =>
    transport(
      { method, url, headers: body === null ? {} : { 'Content-Type': 'application/json' }, body },
      { timeoutMs: LIMIT_MS },
    );
  const wanted = {
    ...{ code, ...(isLive ? { live: true } : {}), settle_after_seconds: settleAfterSeconds },
    ...(keysOfRefused === 'remember' && { keys_of_refused: keysOfRefused }),
  };
  const answer = await send('POST', `${address}/sandboxes`, Buffer.from(JSON.stringify(wanted))).catch(
    (error: unknown) => {
      if (error instanceof NotAnswered) throw noExam(address, error);
      throw error;
    },
  );
  const opened = answer.status === 201 ? jsonIn(answer.body) : null;
  const { base_url: baseUrl, api_key: apiKey } = isObject(opened) ? opened : {};
  const [, port] = /^http:\/\/127\.0\.0\.1:([0-9]{1,5})$/.exec(String(baseUrl)) ?? [];
  if (port === undefined || typeof apiKey !== 'string') throw noExam(address);
  const own = `http://127.0.0.1:${port}`;
  return {
    baseUrl: own,
    port: Number(port),
    apiKey,
    control: (method, path, body) => send(method, `${own}/_control${path}`, body),
    close: async () => {
      await send('DELETE', `${address}/sandboxes/${port}`, null).catch((error: unknown) => {
        if (!(error instanceof NotAnswered)) throw error;
      });
    },
  };
}

function noExam(address: string, cause?: NotAnswered): Failure {
  return new Failure(
    'network',
    `No exam opens a sandbox at ${address} (SVC_CERTIFY). Unset SVC_CERTIFY to open one without an exam.`,
    { ...(cause === undefined ? {} : { cause }), concernsMoney: false },
  );
}
