import { jsonIn } from '../contract/json.js';
import { readEnvelope } from '../contract/errors.js';
import { renderNote } from '../output/error-prose.js';
import { readAddress } from '../session/target.js';
import { profileOf } from '../session/settings.js';
import { readSettings } from '../session/settings-file.js';
import { Failure, type FailureKind } from '../runtime/failure.js';
import { headerOf, NotAnswered } from '../runtime/transport.js';
import type { Ports } from '../runtime/ports.js';
import type { GlobalFlags, Run } from '../command/command.js';
import { type ServiceConnection, openLoopback } from '../session/connection.js';
import type { Texts } from '../command/line/flags.js';
import { timeoutOf } from '../runtime/typed-time.js';
import { defaultStore, openEmbedded } from './embedded.js';
import { openPrinter } from '../command/printer.js';
import { readerFor } from '../command/line/terminal.js';

export interface ControlRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly bytes?: Uint8Array;
  readonly list?: string;
  readonly elementOf?: string;
}

export function queryOf(values: Texts<string>): string {
  const entries = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return new URLSearchParams(entries).toString();
}

export type ControlSender = (request: ControlRequest) => Promise<Uint8Array>;

export interface ControlSteps {
  readonly open?: (ports: Ports) => Promise<ServiceConnection>;
  readonly note?: (
    answer: Uint8Array,
    send: ControlSender,
    connection: ServiceConnection,
  ) => Promise<string | null>;
  readonly after?: (connection: ServiceConnection) => Promise<void>;
}

export async function callControl(run: Run, request: ControlRequest, steps: ControlSteps = {}) {
  const { ports, flags } = run;
  const { open, after, note } = steps;
  const { list = null, elementOf = null } = request;
  const printer = await openPrinter(ports, flags, {
    list,
    table: async (body, nowMs) => {
      const reader = await readerFor(ports, flags, nowMs);
      const name = elementOf ?? list;
      if (name === null) return (await import('../output/views/own-list.js')).renderOwnObject(body, reader);
      const { renderSandboxList } = await import('./view.js');
      if (elementOf === null) return renderSandboxList(body, name, reader);
      const listBody = Buffer.concat([Buffer.from(`{"${name}":[`), body, Buffer.from(']}')]);
      return renderSandboxList(listBody, name, reader);
    },
  });
  const carryOut = async (send: ControlSender, connection: ServiceConnection): Promise<void> => {
    const answer = await send(request);
    await after?.(connection);
    if (after === undefined && request.method === 'POST')
      await noteMismatch(connection, ports, flags).catch((error: unknown) => {
        // A failure of `noteMismatch` must not fail the command, because the sandbox has made the change.
        if (!(error instanceof Failure)) throw error;
      });
    const text = flags.quiet || note === undefined ? null : await note(answer, send, connection);
    if (text !== null) await ports.errors.write(renderNote(text, ports.errors));
    await printer.answer(answer);
  };
  await withControl(run, carryOut, open);
}

async function noteMismatch({ origin }: ServiceConnection, ports: Ports, flags: GlobalFlags): Promise<void> {
  if (flags.quiet || namedOrigin(ports, flags) !== null) return;
  const settings = readSettings(ports.paths);
  const { active: name } = settings;
  const profile = name === null ? null : profileOf(settings, name);
  if (profile === null || profile.base_url === origin) return;
  if (!readAddress(profile.base_url, 'base_url').isLoopback) return;
  const text =
    `This changed the sandbox in ${defaultStore(ports)}. Profile ${name} uses another one: ` +
    `for that, add --base-url ${profile.base_url}`;
  await ports.errors.write(renderNote(text, ports.errors));
}

export async function withControl<T>(
  { ports, flags }: Run,
  work: (send: ControlSender, connection: ServiceConnection) => Promise<T>,
  open: (ports: Ports) => Promise<ServiceConnection> = openEmbedded,
): Promise<T> {
  const origin = namedOrigin(ports, flags);
  const connection =
    origin === null
      ? await open(ports)
      : { ...(await openLoopback(ports)), origin, serviceUrl: origin, key: '' };
  try {
    return await work((request) => sendOver(connection, request, ports, timeoutOf(flags)), connection);
  } finally {
    await connection.close();
  }
}

export function namedOrigin({ env }: Pick<Ports, 'env'>, { 'base-url': typed }: GlobalFlags): string | null {
  const url = typed ?? env['SVC_BASE_URL'];
  if (url === undefined) return null;
  const { baseUrl, isLoopback } = readAddress(url, typed === undefined ? 'SVC_BASE_URL' : '--base-url');
  if (isLoopback) return baseUrl;
  throw new Failure('unsafe', 'A sandbox runs only on this machine. Nothing was sent.');
}

async function sendOver(
  connection: ServiceConnection,
  { method, path, body, bytes: readyBytes }: ControlRequest,
  { signal }: Ports,
  timeoutMs: number,
): Promise<Uint8Array> {
  const bytes = readyBytes ?? (body === undefined ? null : Buffer.from(JSON.stringify(body)));
  const headers = { accept: 'application/json', ...(bytes && { 'content-type': 'application/json' }) };
  const request = { method, url: `${connection.origin}/_control${path}`, headers, body: bytes };
  const answer = await connection.transport(request, { timeoutMs, signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    if (!(error instanceof NotAnswered)) throw error;
    const facts = { code: error.wasSent ? 'no_answer' : 'not_sent', retryable: true, cause: error } as const;
    const unsentText = `The sandbox could not be reached: ${error.message}. Nothing was sent.`;
    if (!error.wasSent) throw new Failure('network', unsentText, facts);
    const message = `The sandbox did not answer: ${error.message}.`;
    throw method === 'GET'
      ? new Failure('network', message, { ...facts, outcome: 'sent' })
      : new Failure('unknown_outcome', message, { ...facts, outcome: 'unknown', retryable: false });
  });
  const value = jsonIn(answer.body);
  const { status } = answer;
  if (status >= 200 && status < 300 && value !== undefined) return answer.body;
  const error = readEnvelope(value);
  if (error === null || error.code === 'route_not_found') {
    const type = headerOf(answer, 'content-type') ?? 'no type';
    const text = `There is no sandbox at this address: the answer was ${status} (${type}). Check the address.`;
    throw new Failure('defect', text, { code: 'contract_broken', status, outcome: 'sent' });
  }
  const { code, message, details } = error;
  const kinds: Readonly<Record<number, FailureKind>> = { 404: 'not_found', 409: 'conflict' };
  const kind = kinds[status] ?? (status < 500 ? 'rejected' : 'unavailable');
  throw new Failure(kind, message, { status, outcome: 'sent', concernsMoney: false, code, details });
}
