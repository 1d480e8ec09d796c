import fc from 'fast-check';
import type { SandboxRequest } from '../../../src/sandbox/message.js';
import { routeOf, type Json } from './bodies.js';
import { NOBODY, ROWS } from './endpoints.js';
import { bytesOf } from './world.js';

const VERBS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'get', 'X'];
const RESEND = `/deliveries/${NOBODY}/resend`;
const CONTROL = ['/clock', '/payments', '/keys', '/ping', '/deliveries', RESEND, '/faults'];

const bodies = (texts: readonly string[]): fc.Arbitrary<string | Uint8Array> => {
  const valid = fc.constantFrom(...texts);
  const changed = fc.tuple(valid, fc.array(mutation, { minLength: 1, maxLength: 4 }));
  const replaced = fc.tuple(valid, fc.nat(), fc.jsonValue());
  return fc.oneof(
    { weight: 1, arbitrary: fc.constant('') },
    { weight: 2, arbitrary: fc.json() },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }) },
    { weight: 3, arbitrary: valid },
    { weight: 6, arbitrary: changed.map(([text, changes]) => changes.reduce(mutate, text)) },
    { weight: 6, arbitrary: replaced.map((all) => replaceValue(...all)) },
  );
};

const TOKENS = ['"', '{', '}', ',', '[', '\\u0000', '\\ud800', 'null', '1e999', '\u2028', ''];
const insert = fc.oneof(fc.string({ maxLength: 3 }), fc.constantFrom(...TOKENS));
const mutation = fc.record({ at: fc.nat({ max: 400 }), length: fc.nat({ max: 3 }), insert });
type Mutation = typeof mutation extends fc.Arbitrary<infer One> ? One : never;
const mutate = (text: string, { at, length, insert }: Mutation): string => {
  const start = text.length === 0 ? 0 : at % text.length;
  return text.slice(0, start) + insert + text.slice(start + length);
};

function replaceValue(text: string, at: number, value: unknown): string {
  const places: [Json, string][] = [];
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const key of Object.keys(node)) {
      places.push([node as Json, key]);
      walk((node as Json)[key]);
    }
  };
  const body = JSON.parse(text) as Json;
  walk(body);
  const place = places[at % Math.max(places.length, 1)];
  if (place !== undefined) place[0][place[1]] = value;
  return JSON.stringify(body);
}

const pair = ([name, value]: readonly [string, string]): string =>
  `${name}=${encodeURIComponent(value.toWellFormed())}`;

const targets = (ids: readonly string[]): fc.Arbitrary<string> => {
  const known = fc
    .tuple(fc.constantFrom(...ROWS), fc.constantFrom(...ids), fc.constantFrom('/sandbox', ''))
    .map(([{ path }, id, prefix]) => prefix + path.replace('{id}', id));
  const query = fc
    .array(
      fc.tuple(
        fc.constantFrom('country', 'method', 'direction', 'limit', 'cursor', 'x'),
        fc.oneof(fc.string({ maxLength: 5 }), fc.constantFrom('VE', '1', 'payin')),
      ),
      { maxLength: 3 },
    )
    .map((pairs) => pairs.map(pair).join('&'));
  const odd = fc.oneof(
    fc.webPath(),
    fc.string({ maxLength: 30 }).map((text) => `/${text}`),
    fc.string({ maxLength: 10 }),
  );
  return fc.oneof(
    { weight: 6, arbitrary: known },
    { weight: 3, arbitrary: fc.tuple(known, query).map(([path, text]) => `${path.split('?')[0]!}?${text}`) },
    { weight: 2, arbitrary: fc.tuple(known, mutation).map(([path, change]) => mutate(path, change)) },
    { weight: 1, arbitrary: fc.constantFrom(...CONTROL.map((path) => `/_control${path}`)) },
    { weight: 1, arbitrary: odd },
  );
};

const line = fc.string({ maxLength: 20 }).map((text) => text.replaceAll(/[\r\n]/g, ' '));
const headers = (key: string): fc.Arbitrary<(readonly [string, string])[]> => {
  const sometimes = (name: string) =>
    fc.array(fc.tuple(fc.constantFrom(name, name.toLowerCase()), line), { maxLength: 2 });
  const mostly = (name: string, value: string) =>
    fc.oneof(
      { weight: 9, arbitrary: fc.constant([[name, value] as const]) },
      { weight: 1, arbitrary: sometimes(name) },
    );
  const named = (key: string) => [['Idempotency-Key', key] as const];
  const repeated = fc.constant(named('a-key-that-repeats'));
  const keys = fc.oneof(fc.uuid().map(named), repeated, sometimes('Idempotency-Key'));
  return fc
    .tuple(mostly('Host', '127.0.0.1'), mostly('Authorization', `Bearer ${key}`), keys)
    .map((parts) => parts.flat());
};

type Material = Readonly<Record<'texts' | 'ids', readonly string[]>> & { readonly key: string };

export function oddRequests({ texts, ids, key }: Material): fc.Arbitrary<SandboxRequest> {
  const method = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom('GET', 'POST') },
    { weight: 1, arbitrary: fc.constantFrom(...VERBS) },
  );
  const body = bodies(texts).map(bytesOf);
  const anywhere = fc.record({ method, target: targets(ids), headers: headers(key), body });
  const creates = fc
    .tuple(bodies(texts), headers(key), fc.constantFrom('debit_otp', 'bank_transfer'))
    .map(([body, sent, fallback]) => {
      const meant = /"method":"(\w+)"/.exec(typeof body === 'string' ? body : '')?.[1] ?? fallback;
      return { method: 'POST', target: `/sandbox${routeOf(meant)}`, headers: sent, body: bytesOf(body) };
    });
  return fc.oneof({ weight: 3, arbitrary: anywhere }, { weight: 1, arbitrary: creates });
}
