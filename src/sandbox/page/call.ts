/** A call to the sandbox as data, and the `svc` and `curl` lines that do the same. Pure. */
import { commandLine, quote } from '../../runtime/shell.js';
import type { Environment, Scope } from '../../contract/access.js';
import type { CompanyJson } from './answers.js';

export interface Call {
  readonly method: string;
  /** Below the server's address, with its query. */
  readonly path: string;
  /** As it is sent. */
  readonly body?: string;
  /** The bytes of the body, where they are no text. */
  readonly base64?: string;
  /** Of a call to the service; control takes none. */
  readonly key?: string;
  /** Beside these; named as they are written mostly, `Idempotency-Key`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a button does: the call that it makes, and the words behind `svc` of the command that makes it too. */
export interface Deed {
  readonly call: Call;
  readonly words: readonly string[];
}

/** A call of the control. */
export function control(path: string, body?: object): Call {
  const method = body === undefined ? 'GET' : 'POST';
  return { method, path: `/_control/${path}`, ...(body && { body: JSON.stringify(body) }) };
}

/** A call of the service, in the environment of that key. */
export function service(method: string, path: string, key: string, body?: object): Call {
  const prefix = environmentOf(key) === 'live' ? '' : '/sandbox';
  return { method, path: prefix + path, key, ...(body && { body: JSON.stringify(body) }) };
}

export function environmentOf(key: string): Environment {
  return key.startsWith('svc_live_') ? 'live' : 'sandbox';
}

/** Whose key may do that; undefined where none may. */
export function keyWith(
  companies: readonly CompanyJson[],
  { company, environment }: { readonly company: string; readonly environment: Environment },
  scope: Scope,
): string | undefined {
  const found = companies.find(({ name, environment: its }) => name === company && its === environment);
  return found?.keys.find(({ scopes }) => scopes.includes(scope))?.api_key;
}

/** Every header that the call is sent with. */
export function headersOf({ key, body, base64, headers }: Call): Record<string, string> {
  const hasBody = body !== undefined || base64 !== undefined;
  return {
    ...(key !== undefined && { Authorization: `Bearer ${key}` }),
    ...(hasBody && { 'Content-Type': 'application/json' }),
    ...headers,
  };
}

/** A line for a shell. @param origin the server's address */
export function curlLine(origin: string, call: Call): string {
  const { method, path, body, base64 } = call;
  const words = ['curl', '-sS', '-g', ...(method === 'GET' ? [] : ['-X', method]), origin + path];
  for (const [name, value] of Object.entries(headersOf(call)))
    words.push('-H', value === '' ? `${name};` : `${name}: ${value}`);
  if (base64 !== undefined)
    return `printf %s ${quote(base64)} | base64 -d | ${commandLine([...words, '--data-binary', '@-'])}`;
  return commandLine(body === undefined ? words : [...words, '--data-raw', body]);
}

/** A line for a shell, which names the server and the key: it does the same whatever is configured there. */
export function svcOf(origin: string, { call, words }: Deed): string {
  const { key } = call;
  if (key === undefined) return commandLine(['svc', ...words, '--base-url', origin]);
  const settings = Object.entries(environmentFor(origin, key));
  return [...settings.map(([name, value]) => `${name}=${quote(value)}`), commandLine(['svc', ...words])].join(
    ' ',
  );
}

/** What `svc`, or a program that reads the same variables, needs to act with that key on this server. */
export function environmentFor(origin: string, key: string): Record<string, string> {
  const live = { SVC_ENV: 'live', SVC_INSECURE_LOOPBACK: '1' };
  return { SVC_BASE_URL: origin, SVC_API_KEY: key, ...(environmentOf(key) === 'live' && live) };
}
