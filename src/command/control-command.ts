/** A command that acts on the sandbox itself: at `--base-url`, at the server that owns the default store, or on the file. */
import { headerOf } from '../runtime/transport.js';
import { readEnvelope } from '../contract/errors.js';
import { readAddress } from '../profile/address.js';
import { Failure } from '../runtime/failure.js';
import { SvcCommand, type GlobalFlags } from './base.js';
import { openNetwork, type Connection } from './connection.js';
import { durationMs } from './duration.js';
import { openEmbedded } from './embedded.js';
import { printerOfAnything } from './printer.js';

/** A request to the control api of the sandbox; members that are undefined are left out. */
export interface ControlRequest {
  readonly method: 'GET' | 'POST';
  /** Below `/_control`. */
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
  /** Where the answer is a list: the name of its wrapper. */
  readonly list?: string;
}

export abstract class ControlCommand extends SvcCommand {
  protected abstract request(line: object): ControlRequest;

  async run(): Promise<void> {
    const line = await this.line(this.declared);
    const flags = line.flags as GlobalFlags;
    const request = this.request(line);
    const printer = await printerOfAnything(this.ports, flags, request.list ?? null);
    const connection = await this.connection(flags);
    try {
      await printer.answer(await this.send(connection, request, flags));
    } finally {
      await connection.close();
    }
  }

  private async connection(flags: GlobalFlags): Promise<Connection> {
    const url = flags['base-url'] ?? this.ports.env['SVC_BASE_URL'];
    if (url === undefined) return openEmbedded(this.ports);
    const { baseUrl: origin, isLoopback } = readAddress(
      url,
      flags['base-url'] === undefined ? 'SVC_BASE_URL' : '--base-url',
    );
    if (!isLoopback) throw new Failure('unsafe', 'A sandbox is on this machine only. Nothing was sent.');
    return { ...(await openNetwork(this.ports)), origin, serviceUrl: origin, key: '' };
  }

  private async send(connection: Connection, { method, path, body }: ControlRequest, flags: GlobalFlags) {
    const answer = await connection.transport(
      {
        method,
        url: `${connection.origin}/_control${path}`,
        headers: {
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: body === undefined ? null : Buffer.from(JSON.stringify(body)),
      },
      { timeoutMs: durationMs(flags.timeout ?? '30s', '--timeout'), signal: this.ports.signal },
    );
    if (answer.status < 300) return answer.body;
    const error = readEnvelope(parse(answer.body));
    const message =
      error?.message ??
      `The sandbox answered ${answer.status} (${headerOf(answer, 'content-type') ?? 'no type'}).`;
    throw new Failure(
      answer.status === 404 ? 'not_found' : answer.status < 500 ? 'rejected' : 'defect',
      message,
      {
        status: answer.status,
        outcome: 'sent',
        ...(error === null
          ? {}
          : { code: error.code, ...(error.details === undefined ? {} : { details: error.details }) }),
      },
    );
  }
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8')) as unknown;
  } catch {
    return null;
  }
}
