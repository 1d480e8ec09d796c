import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HttpRequest, Transport } from '../../src/runtime/transport.js';
import { machineWith } from '../support/machine.js';
import { ADDRESS, keyOf, shakySandbox, type ShakySandbox } from '../support/shaky-sandbox.js';
import { type RunOptions, world, type World } from '../support/svc.js';
import { EXAMPLES, sceneOf, SIGNED_AT } from './scenes.js';
import { SENDING } from './sending.js';

const BY_HAND: readonly (readonly [id: string, line: string])[] = [
  ['api', 'svc api POST /v2/payouts --data @payout.json'],
  ['api', 'svc api POST /v2/webhook-endpoints -f url=https://shop.example/hook'],
  ['api', 'svc api DELETE /v2/anything'],
];

const TRIED: readonly (readonly [id: string, line: string])[] = [
  ...EXAMPLES.filter(([id], at) => EXAMPLES[at - 1]?.[0] !== id || SENDING.includes(id)).filter(
    ([id]) => !id.startsWith('state '),
  ),
  ...BY_HAND,
];

const LASTS = /^svc (sandbox (start|requests .*--follow)|webhooks listen|events (tail|forward))/;

const READ_ONLY: RunOptions = {
  machine: machineWith(() => ({ version: 1, payouts: { allow: 'read' }, payins: { allow: 'read' } })),
};
const WAYS: readonly (readonly [what: string, options: RunOptions, more: readonly string[]])[] = [
  ['a policy that allows reads', READ_ONLY, []],
  ['the same, with flags that say yes', READ_ONLY, ['--live', '--yes', '--no-input']],
  ['a policy that nobody can read', { machine: machineWith(() => 'no policy') }, ['--yes']],
  ['the lock read-only', { env: { SVC_LOCK: 'read-only' } }, []],
  ['the lock sandbox', { env: { SVC_LOCK: 'sandbox' } }, ['--live', '--yes']],
];

const waysOf = (id: string): typeof WAYS =>
  id.startsWith('certify ') ? WAYS.filter(([, , more]) => more.includes('--live')) : WAYS;

let fresh: World;
let shaky: ShakySandbox;
let keys = new Map<Transport, Promise<string>>();
beforeEach(() => {
  fresh = world(SIGNED_AT);
  shaky = shakySandbox(fresh.clock);
  keys = new Map();
});
afterEach(() => shaky.sandbox.close());

let reached: HttpRequest[] = [];
const watched =
  (transport: Transport): Transport =>
  (request, options) => {
    const isLive = (request.headers['authorization'] ?? '').startsWith('Bearer svc_live_');
    if (isLive) reached.push(request);
    return transport(request, options);
  };

async function lived(options: RunOptions): Promise<RunOptions> {
  const transport = options.transport ?? shaky.transport;
  const isService = options.env?.['SVC_API_KEY'] !== undefined || options.transport === undefined;
  const service = isService ? transport : shaky.transport;
  const made = keys.get(service) ?? keyOf({ ...shaky, transport: service }, 'default', 'live');
  keys.set(service, made);
  const place = { SVC_BASE_URL: ADDRESS, SVC_ENV: 'live', SVC_INSECURE_LOOPBACK: '1' };
  const env = { ...options.env, ...place, SVC_API_KEY: await made };
  const both: Transport = (request, how) =>
    (request.url.startsWith(ADDRESS) ? service : transport)(request, how);
  return { ...options, env, transport: watched(both) };
}

function liveWorld(): World {
  return {
    ...fresh,
    async svc(argv: string | readonly string[], options: RunOptions = {}) {
      const words = typeof argv === 'string' ? argv.split(' ') : [...argv];
      const live = await lived(options);
      return fresh.svc(words[1] === 'batch' ? await confirmed(words, live) : words, live);
    },
  };
}

async function confirmed(words: readonly string[], live: RunOptions): Promise<string[]> {
  const line = [...words, ...(words[1] === 'retry' ? [] : ['--first-here'])];
  const { stderr } = await fresh.svc(line, live);
  const totals = new Set(stderr.match(/--confirm-total [A-Z]{3}:[0-9.]+/g));
  return [...line, ...[...totals].flatMap((total) => total.split(' '))];
}

const isRead = ({ method }: HttpRequest): boolean => method === 'GET' || method === 'HEAD';

describe('live, where only reads may leave', () => {
  let reads = 0;

  it.each(TRIED)('%s: %s', async (id, example) => {
    let scene = await sceneOf(liveWorld(), id, example);
    for (const [at, [what, { env, ...mode }, more]] of waysOf(id).entries()) {
      if (at > 0 && LASTS.test(example)) scene = await sceneOf(liveWorld(), id, example);
      const live = await lived(scene.options);
      reached = [];
      await fresh.svc([...scene.argv, ...more], { ...live, ...mode, env: { ...live.env, ...env } });
      const left = reached.filter((request) => what === 'the lock sandbox' || !isRead(request));
      expect(left, what).toEqual([]);
      reads += reached.length;
    }
  });

  afterAll(() => {
    expect(reads).toBeGreaterThan(200);
  });
});

describe('live, where nothing is set up, some of them send', () => {
  const sent = new Set<string>();

  it.each(TRIED)('%s: %s', async (id, example) => {
    const { argv, options } = await sceneOf(liveWorld(), id, example);
    const live = await lived(options);
    reached = [];
    await fresh.svc(/batch|retry/.test(argv[1] ?? '') ? await confirmed(argv, live) : argv, live);
    if (reached.some((request) => !isRead(request))) sent.add(id);
  });

  afterAll(() => expect([...sent].sort()).toEqual(SENDING));
});
