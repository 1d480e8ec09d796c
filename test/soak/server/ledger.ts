/** What a server says happened, against what its clients were told and its receiver got. */
import { sumDecimals } from '../../../src/contract/money.js';
import { exchange, type Created, type Server } from './client.js';

type Fed = Readonly<Record<'event' | 'operation' | 'type' | 'amount', string>>;

/** Compares; everything empty is as it should be. */
export async function compare(server: Server, created: readonly Created[], accepted: ReadonlySet<string>) {
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
    // With another number of events than one, or that nobody was told of.
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
