import { commandLine, quote } from '../../runtime/shell.js';
import { environmentOfKey, type Environment, type Scope } from '../../contract/access.js';
import type { CompanyJson } from './answers.js';

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly base64?: string;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface PageCommand {
  readonly call: Call;
  readonly words: readonly string[];
}

export function controlCall(path: string, body?: object): Call {
  const method = body === undefined ? 'GET' : 'POST';
  return { method, path: `/_control/${path}`, ...(body && { body: JSON.stringify(body) }) };
}

export function serviceCall(method: string, path: string, key: string, body?: object): Call {
  const prefix = environmentOfKey(key) === 'live' ? '' : '/sandbox';
  return { method, path: prefix + path, key, ...(body && { body: JSON.stringify(body) }) };
}

export const ownerOf = (
  companies: readonly CompanyJson[],
  { company, environment }: { readonly company: string | null; readonly environment: Environment },
): CompanyJson | undefined =>
  companies.find((one) => one.name === company && one.environment === environment);

export const keyWithScope = (company: CompanyJson | undefined, scope: Scope): string | undefined =>
  company?.keys.find(({ scopes }) => scopes.includes(scope))?.api_key;

export const widestKey = (company: CompanyJson | undefined): string | undefined =>
  company?.keys.toSorted((a, b) => b.scopes.length - a.scopes.length)[0]?.api_key;

export function headersOf({ key, body, base64, headers }: Call): Record<string, string> {
  const hasBody = body !== undefined || base64 !== undefined;
  return {
    ...(key !== undefined && { Authorization: `Bearer ${key}` }),
    ...(hasBody && { 'Content-Type': 'application/json' }),
    ...headers,
  };
}

export function curlLine(origin: string, call: Call): string {
  const { method, path, body, base64 } = call;
  const words = ['curl', '-sS', '-g', ...(method === 'GET' ? [] : ['-X', method]), origin + path];
  for (const [name, value] of Object.entries(headersOf(call)))
    words.push('-H', value === '' ? `${name};` : `${name}: ${value}`);
  if (base64 !== undefined)
    return `printf %s ${quote(base64)} | base64 -d | ${commandLine([...words, '--data-binary', '@-'])}`;
  return commandLine(body === undefined ? words : [...words, '--data-raw', body]);
}

export function svcCommandLine(origin: string, { call, words }: PageCommand): string {
  const { key } = call;
  if (key === undefined) return commandLine(['svc', ...words, '--base-url', origin]);
  const settings = Object.entries(environmentFor(origin, key));
  const assignments = settings.map(([name, value]) => `${name}=${quote(value)}`);
  return [...assignments, commandLine(['svc', ...words])].join(' ');
}

export function environmentFor(origin: string, key: string): Record<string, string> {
  const liveVariables = { SVC_ENV: 'live', SVC_INSECURE_LOOPBACK: '1' };
  return { SVC_BASE_URL: origin, SVC_API_KEY: key, ...(environmentOfKey(key) === 'live' && liveVariables) };
}
