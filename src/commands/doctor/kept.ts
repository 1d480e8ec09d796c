/** What earlier commands left behind: requests and rows of batches of unknown outcome, and the webhook's signing secret. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Ports } from '../../runtime/ports.js';
import { serviceAddressOf } from '../../cli/session/address.js';
import { isOneOf, OPEN } from '../../bulk/row-state.js';
import { withLocalBatches } from '../../cli/stores/batches.js';
import { withJournal } from '../../cli/stores/books.js';
import type { Session } from '../../cli/session/session.js';
import { Failure } from '../../runtime/failure.js';
import { error, ok, warning, type Finding } from './finding.js';

export async function findKept(session: Session, ports: Ports): Promise<Finding[]> {
  return [
    await findSecret(session, ports),
    await unlessBroken('requests', findRequests(ports)),
    await unlessBroken('batches', findBatches(ports)),
  ];
}

/** A store that can't be used is what is wrong with it, and hides nothing else. */
function unlessBroken(check: string, finding: Promise<Finding>): Promise<Finding> {
  return finding.catch((failure: unknown) => {
    if (!(failure instanceof Failure)) throw failure;
    return error(check, failure.kind, failure.message, failure.facts.nextCommand ?? null);
  });
}

async function findSecret(session: Session, ports: Ports): Promise<Finding> {
  if ((ports.env['SVC_WEBHOOK_SECRET'] ?? '') !== '') return ok('webhook secret', 'from SVC_WEBHOOK_SECRET');
  const { address, environment } = serviceAddressOf(session);
  const [{ systemStores }, { secretsFor }] = await Promise.all([
    import('../../profile/stores.js'),
    import('../../profile/secrets.js'),
  ]);
  const stores = systemStores(ports.paths, ports.clock);
  const { secrets } = await secretsFor(stores, address, environment, ports.clock.now());
  if (secrets.length > 0)
    return ok('webhook secret', secrets.length === 1 ? 'stored' : 'stored, and the one before');
  return ok('webhook secret', 'none is stored: "svc webhooks register" keeps the one it gets');
}

/** Nothing is made where nothing was ever kept. */
async function findRequests(ports: Ports): Promise<Finding> {
  if (!existsSync(join(ports.paths.state, 'requests.db'))) return ok('requests', 'none of unknown outcome');
  const count = await withJournal(ports, async (journal) => (await journal.open()).length);
  if (count === 0) return ok('requests', 'none of unknown outcome');
  const text = `${String(count)} left this machine and their outcome is not known: money may have moved.`;
  return warning('requests', text, 'svc requests list');
}

async function findBatches(ports: Ports): Promise<Finding> {
  if (!existsSync(join(ports.paths.state, 'batches.db'))) return ok('batches', 'no row of unknown outcome');
  const rows = await withLocalBatches(ports, async (store) => {
    const tallies = await Promise.all((await store.list()).map(({ id }) => store.tally(id)));
    return tallies
      .flat()
      .filter(({ state }) => isOneOf(OPEN, state))
      .reduce((sum, one) => sum + one.rows, 0);
  });
  if (rows === 0) return ok('batches', 'no row of unknown outcome');
  const text = `The outcome of ${rows === 1 ? 'one row' : `${String(rows)} rows`} is not known: money may have moved.`;
  return warning('batches', text, 'svc batches list');
}
