/** A command that acts on the sandbox itself: at `--base-url`, at the server that owns the default store, or on the file. */
import { readEnvelope } from '../../contract/errors.js';
import { readAddress } from '../../profile/address.js';
import { Failure } from '../../runtime/failure.js';
import { headerOf, NotAnswered, type HttpAnswer, type HttpRequest } from '../../runtime/transport.js';
import { SvcCommand, type GlobalFlags } from '../../cli/command.js';
import { openLoopback, type Connection } from '../../cli/session/connection.js';
import { timeoutOf } from '../../cli/line/duration.js';
import { openEmbedded } from '../../cli/session/embedded.js';
import { printerOfAnything } from '../../cli/printing/printer.js';

/** A request to the control api of the sandbox; members that are undefined are left out. */
export interface ControlRequest {
  readonly method: 'GET' | 'POST';
  /** Below `/_control`. */
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
  /** Where the answer is a list: the name of its wrapper. */
  readonly list?: string;
}

/** How a change of the sandbox can end. */
export const controlExitCodes = [6, 10, 11, 12];

export abstract class ControlCommand extends SvcCommand {
  protected abstract request(line: object): ControlRequest;

  async run(): Promise<void> {
    const line = await this.line(this.declared);
    const flags = line.flags as GlobalFlags;
    const request = this.request(line);
    const printer = await printerOfAnything(this.ports, flags, request.list ?? null);
    const connection = await this.connection(flags);
    try {
      const answer = await this.send(connection, request, flags);
      await this.after(connection, flags);
      await printer.answer(answer);
    } finally {
      await connection.close();
    }
  }

  /** What a success entails for what svc itself keeps. */
  protected after(_connection: Connection, _flags: GlobalFlags): Promise<void> {
    return Promise.resolve();
  }

  private async connection(flags: GlobalFlags): Promise<Connection> {
    const url = flags['base-url'] ?? this.ports.env['SVC_BASE_URL'];
    if (url === undefined) return this.embedded();
    const { baseUrl: origin, isLoopback } = readAddress(
      url,
      flags['base-url'] === undefined ? 'SVC_BASE_URL' : '--base-url',
    );
    if (!isLoopback) throw new Failure('unsafe', 'A sandbox is on this machine only. Nothing was sent.');
    return { ...(await openLoopback(this.ports)), origin, serviceUrl: origin, key: '' };
  }

  /** The default store: through the server that owns it, or in this process. */
  protected embedded(): Promise<Connection> {
    return openEmbedded(this.ports);
  }

  private async send(connection: Connection, { method, path, body }: ControlRequest, flags: GlobalFlags) {
    const request: HttpRequest = {
      method,
      url: `${connection.origin}/_control${path}`,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : Buffer.from(JSON.stringify(body)),
    };
    const timeoutMs = timeoutOf(flags);
    const answer = await connection
      .transport(request, { timeoutMs, signal: this.ports.signal })
      .catch((error: unknown) => {
        this.ports.signal.throwIfAborted();
        throw unanswered(error, method);
      });
    return dataOf(answer);
  }
}

/** The body of a success. @throws Failure for a refusal, or for an answer that no sandbox gives */
function dataOf(answer: HttpAnswer): Uint8Array {
  const { status, body } = answer;
  const value = parse(body);
  if (status >= 200 && status < 300 && value !== undefined) return body;
  const error = readEnvelope(value);
  if (error === null || error.code === 'route_not_found') {
    const type = headerOf(answer, 'content-type') ?? 'no type';
    const text = `No sandbox is there: the answer was ${status} (${type}). Is the address right?`;
    throw new Failure('defect', text, { code: 'contract_broken', status, outcome: 'sent' });
  }
  const { code, message, details } = error;
  const kind = status === 404 ? 'not_found' : status < 500 ? 'rejected' : 'unavailable';
  throw new Failure(kind, message, { status, outcome: 'sent', code, details });
}

function unanswered(error: unknown, method: string): unknown {
  if (!(error instanceof NotAnswered)) return error;
  const facts = { code: error.sent ? 'no_answer' : 'not_sent', retryable: true, cause: error } as const;
  if (!error.sent)
    return new Failure('network', `The sandbox was not reached: ${error.message}. Nothing was sent.`, facts);
  const message = `The sandbox did not answer: ${error.message}.`;
  return method === 'GET'
    ? new Failure('network', message, { ...facts, outcome: 'sent' })
    : new Failure('unknown_outcome', message, { ...facts, outcome: 'unknown', retryable: false });
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}
