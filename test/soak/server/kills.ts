/** Kills a server again and again at named points while clients create and a receiver accepts, then lets it finish and compares. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '../../sandbox/support/random.js';
import { exchange, startClients, type Clients, type Server } from './client.js';
import { compare } from './ledger.js';
import { testFolder } from '../../support/test-folder.js';
import type { Variant } from '../../support/variant.js';
import { buildServer } from './program.js';
import { firstLine } from '../../support/program.js';
import { serving } from '../../support/serving.js';

type Receiver = Awaited<ReturnType<typeof openReceiver>>;

/** @param refuses asked for each delivery */
async function openReceiver(refuses: () => boolean) {
  const accepted = new Set<string>();
  let attempts = 0;
  let grasped: (() => void) | null = null;
  const { url, stop } = await serving(({ headers }, response) => {
    attempts += 1;
    if (grasped !== null) {
      grasped();
      grasped = null;
    } else if (refuses()) response.writeHead(500).end();
    else {
      accepted.add(String(headers['x-id-evento']));
      response.writeHead(200).end();
    }
  });
  return {
    url: `${url}/`,
    /** The ids of the events that it answered 200. */
    accepted: accepted as ReadonlySet<string>,
    attempts: () => attempts,
    /** Resolves with the next delivery in hand, which is never answered. */
    grasp: (): Promise<void> => new Promise((resolve) => (grasped = resolve)),
    close: stop,
  };
}

type Life = Awaited<ReturnType<typeof startLife>>;

/** Starts a server over a store. @throws where it ends before it is ready */
async function startLife(program: string, store: string) {
  const child = spawn(process.execPath, [program, store], { stdio: ['ignore', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (chunk) => (errors += String(chunk)));
  const ended = once(child, 'close');
  const ready = JSON.parse(await firstLine(child)) as { port: number; key: string };
  return {
    ...ready,
    /** SIGKILL, at once; resolves when the process is gone. */
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
    errors: () => errors,
  };
}

/** Where a kill falls: after an answer, with a delivery in the receiver's hands, while the clock is being moved. */
export const POINTS = ['answered', 'delivering', 'moving the clock'] as const;
export type Point = (typeof POINTS)[number];

/** How long a point may take to be reached; one that is not fails the run. */
const PATIENCE_MS = 20_000;

export type Report = Awaited<ReturnType<typeof killServer>>;

/** @param points in turn @param how how many of a hundred deliveries the receiver refuses, and what the server does wrong */
export async function killServer(
  kills: number,
  points: readonly Point[],
  { refusedPercent = 0, variant }: { readonly refusedPercent?: number; readonly variant?: Variant } = {},
) {
  const program = await buildServer(variant);
  const store = join(testFolder(), 'sandbox.db');
  const random = seededRandom(points.join());
  const upTo = (most: number): number => Math.floor(random.fraction() * most);
  const hits = { answered: 0, delivering: 0, 'moving the clock': 0 };
  const receiver = await openReceiver(() => upTo(100) < refusedPercent);
  let errors = '';
  let life = await startLife(program, store);
  const authorization = { Authorization: `Bearer ${life.key}` };
  await exchange(life.port, 'POST', '/sandbox/v2/webhook-endpoints', authorization, { url: receiver.url });
  let server = Promise.resolve<Server>(life);
  const clients = startClients(() => server);
  try {
    for (let kill = 0; kill < kills; kill += 1) {
      const point = points[kill % points.length]!;
      await reach(point, clients, receiver, life, upTo);
      hits[point] += 1;
      let restarted = (_next: Server): void => undefined;
      server = new Promise((resolve) => (restarted = resolve));
      await life.kill();
      errors += life.errors();
      life = await startLife(program, store);
      restarted(life);
    }
    await clients.stop();
    await finish(life);
    const findings = await compare(life, clients.created, receiver.accepted);
    const [acknowledged, attempts] = [clients.created.length, receiver.attempts()];
    return { ...findings, hits, acknowledged, attempts, errors: errors + life.errors() };
  } finally {
    clients.abandon();
    await life.kill();
    await receiver.close();
    rmSync(program, { force: true });
  }
}

/** Resolves at the point, in the middle of the load. */
async function reach(
  point: Point,
  clients: Clients,
  receiver: Receiver,
  life: Life,
  upTo: (most: number) => number,
): Promise<void> {
  const [wanted, seconds] = [20 + upTo(100), upTo(7200)];
  const reached = clients.answers(wanted).then(() => {
    if (point === 'delivering') return receiver.grasp();
    return point === 'answered' ? undefined : moveClock(life, seconds);
  });
  let timer: NodeJS.Timeout | undefined;
  const never = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the point "${point}" was never reached`)), PATIENCE_MS);
  });
  await Promise.race([reached, never, clients.broken]);
  clearTimeout(timer);
}

/** Asks for it, and comes back before the answer, some turns later. */
async function moveClock({ port }: Life, seconds: number): Promise<void> {
  void exchange(port, 'POST', '/_control/clock', {}, { advance_seconds: seconds }).catch(() => undefined);
  for (let turn = 0; turn < seconds % 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Moves the clock over every retry, until nothing is owed. */
async function finish({ port }: Life): Promise<void> {
  for (;;) {
    const { json } = await exchange(port, 'GET', '/_control/status', {});
    if ((json as unknown as { pending_deliveries: number }).pending_deliveries === 0) return;
    await exchange(port, 'POST', '/_control/clock', {}, { advance_seconds: 60 });
  }
}
