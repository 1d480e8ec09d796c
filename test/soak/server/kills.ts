import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '../../sandbox/support/random.js';
import { exchange, startClients, type Server, type Created } from './client.js';
import { testFolder } from '../../support/test-folder.js';
import type { Variant } from '../../support/variant.js';
import { buildServer } from './program.js';
import { firstLine } from '../../support/program.js';
import { serving } from '../../support/serving.js';
import { sumDecimals } from '../../../src/contract/money.js';

type Fed = Readonly<Record<'event' | 'operation' | 'type' | 'amount', string>>;

async function compare(server: Server, created: readonly Created[], accepted: ReadonlySet<string>) {
  const feed = await readFeed(server);
  const operations = new Set(feed.map(({ operation }) => operation));
  const events = new Set(feed.map(({ event }) => event));
  const told = new Set(created.map(({ id }) => id));
  const seen = new Set<string>();
  const doubled = feed.filter(
    ({ operation }) => seen.size === seen.add(operation).size || !told.has(operation),
  );
  const repeated = created.length - told.size;
  return {
    lost: [...told].filter((id) => !operations.has(id)),
    doubled: [
      ...doubled.map(({ operation }) => operation),
      ...Array.from({ length: repeated }, () => 'an id told twice'),
    ],
    undelivered: [...events].filter((id) => !accepted.has(id)),
    invented: [...accepted].filter((id) => !events.has(id)),
    unbalanced: await balanceErrors(server, feed),
  };
}

async function readFeed({ port, key }: Server): Promise<Fed[]> {
  const feed: Fed[] = [];
  for (let cursor = ''; ;) {
    const path = `/sandbox/v2/events?limit=200${cursor}`;
    const { json } = await exchange(port, 'GET', path, { Authorization: `Bearer ${key}` });
    for (const { id, data } of json.events) {
      feed.push({ event: id, operation: data.id, type: data.type, amount: data.amount });
    }
    if (json.events.length === 0) return feed;
    cursor = `&cursor=${json.next_cursor ?? ''}`;
  }
}

async function balanceErrors({ port, key }: Server, feed: readonly Fed[]): Promise<string[]> {
  const { json } = await exchange(port, 'GET', '/sandbox/v2/balances', { Authorization: `Bearer ${key}` });
  const { available = '0.00', reserved = '0.00' } =
    json.balances.find(({ currency }) => currency === 'VES') ?? {};
  const expected = sumDecimals(feed.map(({ type, amount }) => (type === 'payin' ? amount : `-${amount}`)));
  return [
    ...(available === expected ? [] : [`available is ${available}, the operations sum up to ${expected}`]),
    ...(reserved === '0.00' ? [] : [`reserved is ${reserved}`]),
  ];
}

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
    accepted: accepted as ReadonlySet<string>,
    attempts: () => attempts,
    grasp: (): Promise<void> => new Promise((resolve) => (grasped = resolve)),
    close: stop,
  };
}

type Life = Awaited<ReturnType<typeof startLife>>;

async function startLife(program: string, store: string) {
  const child = spawn(process.execPath, [program, store], { stdio: ['ignore', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (chunk) => (errors += String(chunk)));
  const ended = once(child, 'close');
  const ready = JSON.parse(await firstLine(child)) as { port: number; key: string };
  return {
    ...ready,
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
    errors: () => errors,
  };
}

export const POINTS = ['answered', 'delivering', 'moving the clock'] as const;
export type Point = (typeof POINTS)[number];

const PATIENCE_MS = 20_000;

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

async function reach(
  point: Point,
  clients: ReturnType<typeof startClients>,
  receiver: Awaited<ReturnType<typeof openReceiver>>,
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

async function moveClock({ port }: Life, seconds: number): Promise<void> {
  void exchange(port, 'POST', '/_control/clock', {}, { advance_seconds: seconds }).catch(() => undefined);
  for (let turn = 0; turn < seconds % 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

async function finish({ port }: Life): Promise<void> {
  for (;;) {
    const { json } = await exchange(port, 'GET', '/_control/status', {});
    if ((json as unknown as { pending_deliveries: number }).pending_deliveries === 0) return;
    await exchange(port, 'POST', '/_control/clock', {}, { advance_seconds: 60 });
  }
}
