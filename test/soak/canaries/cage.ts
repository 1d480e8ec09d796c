import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { openSandbox, sandboxTransport } from '../../../src/sandbox/sandbox.js';
import { type MachineClock, systemRandom } from '../../../src/runtime/clock.js';
import { Stopped } from '../../../src/runtime/ports.js';
import { NotAnswered, type Transport } from '../../../src/runtime/transport.js';
import { world } from '../../support/svc.js';
import { testFolder } from '../../support/test-folder.js';
import { canariesOf, CODE, ENV_SECRET, FILE_SECRET, leaksIn, secret, type Canary } from './canaries.js';
import type { Place } from './canaries.js';
import { ending, type Ending } from './endings.js';
import { writeFiles } from './files.js';
import { KEY_STDIN, PAYOUT_BODY, type Line, type Ready } from './lines.js';

export const SOURCES = ['variable', 'file', 'profile', 'a live key that nobody asked for'] as const;
export type Source = (typeof SOURCES)[number];

const ADDRESS = 'http://localhost:4010';
const LIVE_KEY = 'svc_live_LiveCanary0a1b2c3d4e5f607182';
const KEY = 'canary-key-1';
/** A command that follows or repeats without end is stopped after this many requests or waits. */
const TURNS_MAX = 60;

export async function makeCage(name: Ending, source: Source) {
  const home = world();
  const files = testFolder();
  const sandbox = openSandbox({ store: ':memory:', clock: home.clock, random: systemRandom, code: CODE });
  const service = sandboxTransport(sandbox, home.clock);
  writeFiles(files, { key: sandbox.apiKey, secret: FILE_SECRET });
  const canaries = [
    ...canariesOf(sandbox.apiKey),
    secret('the key on standard input', KEY_STDIN),
    secret('the live key', LIVE_KEY),
  ];
  const noted = await prepare(home.svc, service, files, sandbox.apiKey);
  const env = {
    ...ENVIRONMENTS[source](sandbox.apiKey, files),
    SVC_WEBHOOK_SECRET: ENV_SECRET,
    // With this variable `svc lock` does not restart the process of the test.
    SVC_LOCK_HOLDER: String(process.pid),
  };
  return {
    ready: noted,
    run: async ({ words, stdin }: Line, flags: readonly string[]): Promise<readonly string[]> => {
      const guard = guarded(ending(name, watching(service, canaries)), home.clock);
      const all = [...words, ...flags];
      const input = stdin === undefined ? {} : { stdin };
      const { stdout, stderr } = await home.svc(all, { env, ...guard, ...input });
      const places: readonly (readonly [Place, string])[] = [
        [{ name: 'stdout' }, stdout],
        [{ name: 'stderr' }, stderr],
        ...filesBelow(home.home).map(([path, text]) => [{ name: 'file', path }, text] as const),
        ...filesBelow(files).flatMap(([path, text]): [Place, string][] =>
          path === 'seen-by-child' ? [[{ name: 'child', path }, text]] : [],
        ),
      ];
      return leaksIn(places, canaries, all.join(' '));
    },
    remove: () => {
      sandbox.close();
      home.remove();
    },
  };
}

const ENVIRONMENTS: Readonly<Record<Source, (key: string, files: string) => Record<string, string>>> = {
  variable: (key) => ({ SVC_BASE_URL: ADDRESS, SVC_API_KEY: key }),
  file: (_key, files) => ({ SVC_BASE_URL: ADDRESS, SVC_API_KEY_FILE: join(files, 'key.txt') }),
  profile: () => ({ SVC_PROFILE: 'canary' }),
  'a live key that nobody asked for': () => ({ SVC_BASE_URL: ADDRESS, SVC_API_KEY: LIVE_KEY }),
};

async function prepare(
  svc: ReturnType<typeof world>['svc'],
  service: Transport,
  files: string,
  key: string,
): Promise<Ready> {
  const env = { SVC_BASE_URL: ADDRESS, SVC_API_KEY: key };
  const cut = () => Promise.reject(new NotAnswered('reset', true, 'cut'));
  const lost: Transport = (request, options) =>
    request.method === 'POST' ? cut() : service(request, options);
  await svc(`profiles add canary --base-url ${ADDRESS} --key-stdin`, { stdin: key });
  await svc(['payouts', 'create', '--data', PAYOUT_BODY, '--idempotency-key', KEY], { env, transport: lost });
  const words = ['payins', 'create', '--data', `@${files}/payin.json`];
  const payin = await svc(words, { env, transport: service });
  await svc(`payouts batch ${files}/payouts.csv --yes --batch canaries`, { env, transport: service });
  return { id: String(payin.json()['id']), key: KEY, files };
}

function watching(service: Transport, canaries: Canary[]): Transport {
  return async (request, options) => {
    const answer = await service(request, options);
    const shown = /"secret":"([^"]+)"/.exec(Buffer.from(answer.body).toString('utf8'))?.[1];
    if (shown !== undefined) canaries.push(secret('a signing secret that was registered', shown));
    return answer;
  };
}

function guarded(transport: Transport, clock: MachineClock) {
  const stopping = new AbortController();
  let [requests, waits] = [0, 0];
  const stopAfter = (turns: number): void => {
    if (turns > TURNS_MAX) stopping.abort(new Stopped('SIGTERM', 143));
  };
  const counted: Transport = (request, options) => {
    stopAfter((requests += 1));
    return transport(request, options);
  };
  const sleep: MachineClock['sleep'] = async (ms, signal) => {
    stopAfter((waits += 1));
    await turn();
    await clock.sleep(ms, signal);
  };
  return { signal: stopping.signal, transport: counted, clock: { ...clock, sleep } };
}

export function filesBelow(folder: string): (readonly [path: string, text: string])[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(folder, path)).isFile())
    .map((path) => [path, readFileSync(join(folder, path), 'latin1')] as const);
}
