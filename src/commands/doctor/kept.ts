/** What earlier commands left behind: requests and rows of batches of unknown outcome, and the webhook's signing secret. */
import type { Ports } from '../../runtime/ports.js';
import { serviceAddressOf } from '../../cli/session/address.js';
import { isOneOf, OPEN } from '../../bulk/row-state.js';
import type { StoresRun } from '../../cli/stores/shared-state.js';
import { storesOf, withBatches, withJournal } from '../../cli/stores/stores-of-run.js';
import type { KeptRequest } from '../../journal/request.js';
import type { Session } from '../../cli/session/session.js';
import { Failure } from '../../runtime/failure.js';
import { mayOnlyRead } from '../../state/failures.js';
import { error, ok, warning, type Checked } from './checked.js';

export async function checkKept(run: StoresRun): Promise<Checked[]> {
  return [
    await unlessBroken('requests', checkRequests(run)),
    await unlessBroken('batches', checkBatches(run)),
  ];
}

/** A store that can't be used is what is wrong with it, and hides nothing else. */
function unlessBroken(check: string, one: Promise<Checked>): Promise<Checked> {
  return one.catch((failure: unknown) => {
    if (!(failure instanceof Failure)) throw failure;
    if (mayOnlyRead(failure)) return warning(check, 'not checked: this user may only read the shared state');
    return error(check, failure.kind, failure.message, failure.facts.nextCommand ?? null);
  });
}

export async function checkSecret(session: Session, ports: Ports): Promise<Checked> {
  if ((ports.env['SVC_WEBHOOK_SECRET'] ?? '') !== '') return ok('webhook secret', 'from SVC_WEBHOOK_SECRET');
  const { address, environment } = serviceAddressOf(session);
  const [{ systemStores }, { secretsFor }] = await Promise.all([
    import('../../profile/stores.js'),
    import('../../profile/secrets.js'),
  ]);
  const stores = systemStores(ports.paths, ports.clock);
  const { secrets } = await secretsFor(stores, address, environment, ports.clock.now());
  if (secrets.length > 0)
    return ok('webhook secret', secrets.length === 1 ? 'stored' : 'stored, with the previous one');
  return ok('webhook secret', 'none stored: "svc webhooks register" stores one');
}

/** Nothing is made where nothing was ever kept. */
async function checkRequests(run: StoresRun): Promise<Checked> {
  if (!storesOf(run).has('journal')) return ok('requests', 'none without an answer');
  const open = await withJournal(run, (journal) => journal.listed());
  if (open.length === 0) return ok('requests', 'none without an answer');
  const { isShared } = storesOf(run).where;
  const where = isShared ? `the machines that share this state${senders(open)}` : 'this machine';
  const text = `${open.length === 1 ? '1 request' : `${String(open.length)} requests`} without an answer left ${where}: money may have moved.`;
  return warning('requests', text, 'svc requests list');
}

/** By machine, where that is known: " (laptop/1: 2, pod/7: 1)". */
function senders(requests: readonly KeptRequest[]): string {
  const bySender = Map.groupBy(requests, ({ lastSending }) => lastSending?.by ?? '');
  const counts = [...bySender].map(([by, theirs]) => `${by}: ${String(theirs.length)}`);
  return ` (${counts.join(', ')})`;
}

async function checkBatches(run: StoresRun): Promise<Checked> {
  if (!storesOf(run).has('batches')) return ok('batches', 'no row with an unknown outcome');
  const rows = await withBatches({ ...run, flags: { ...run.flags, quiet: true } }, async (store) => {
    const tallies = await Promise.all((await store.list()).map(({ id }) => store.tally(id)));
    return tallies
      .flat()
      .filter(({ state }) => isOneOf(OPEN, state))
      .reduce((sum, one) => sum + one.rows, 0);
  });
  if (rows === 0) return ok('batches', 'no row with an unknown outcome');
  const text = `The outcome of ${rows === 1 ? '1 row' : `${String(rows)} rows`} is unknown: money may have moved.`;
  return warning('batches', text, 'svc batches list');
}
