/** Opens connections and says how far each got, so that "certainly not sent" is a fact and not a reading of error codes. */
import { isIP, type LookupFunction, type Socket } from 'node:net';
import buildConnector from 'undici/lib/core/connect.js';
import type { buildConnector as Build } from 'undici';
import type { ResolveName } from '../runtime/names.js';

/** How far a connection got before it failed. */
export type ConnectPhase = 'name' | 'connect' | 'tls';

/** A connection that was never handed over: no byte of a request can have left on it. The cause is the socket's own error. */
export class ConnectFailure extends Error {
  override readonly name = 'ConnectFailure';
  constructor(
    readonly phase: ConnectPhase,
    override readonly cause: Error,
  ) {
    super(cause.message || ('code' in cause ? String(cause.code) : cause.name), { cause });
  }
}

/** What every TLS handshake here insists on, whatever the environment says; `ca` stands in for the built-in roots. */
export interface TlsOptions {
  readonly minVersion: 'TLSv1.2';
  readonly rejectUnauthorized: true;
  readonly ca?: string;
}

export function tlsOptions(ca: string | undefined): TlsOptions {
  return { minVersion: 'TLSv1.2', rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) };
}

export interface Connector {
  readonly connect: Build.connector;
  /** Ends the attempts under way, which would otherwise hold the process until they time out. */
  readonly abandon: () => void;
}

/**
 * undici's connector (HTTP/1.1 only), each failure wrapped in a ConnectFailure.
 * @param timeoutMs for name, connection and handshake together
 * @param resolveName decides which addresses a name has; the system's own resolution without it
 */
export function createConnector(timeoutMs: number, tls: TlsOptions, resolveName?: ResolveName): Connector {
  const lookup = resolveName === undefined ? {} : { lookup: lookupWith(resolveName) };
  // undici's connector returns the socket it opens; its types keep that to themselves.
  const open = buildConnector({ ...tls, ...lookup, allowH2: false, timeout: timeoutMs }) as (
    ...args: Parameters<Build.connector>
  ) => Socket;
  const opening = new Set<Socket>();
  return {
    connect: (options, callback) => {
      let phase: ConnectPhase = 'connect';
      const socket = open(options, (...[error, connected]) => {
        opening.delete(socket);
        if (error === null) callback(null, connected);
        else callback(new ConnectFailure(isNameError(error) ? 'name' : phase, error), null);
      });
      opening.add(socket);
      socket.once('connect', () => (phase = 'tls'));
    },
    abandon: () => {
      for (const socket of opening) socket.destroy(new Error('abandoned'));
    },
  };
}

/** The connection goes to one of these addresses and to nothing else, whatever the name means a moment later. */
function lookupWith(resolveName: ResolveName): LookupFunction {
  return (name, options, callback) => {
    resolveName(name).then(
      (addresses) => {
        const all = addresses.map((address) => ({ address, family: isIP(address) }));
        const [first = { address: '', family: 0 }] = all;
        if (options.all === true) callback(null, all);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error as Error, []),
    );
  };
}

function isNameError(error: Error): boolean {
  return 'syscall' in error && error.syscall === 'getaddrinfo';
}
