import type { ServiceConnection } from '../session/connection.js';
import { defaultStore, openEmbedded } from './embedded.js';
import type { Run } from '../command/command.js';
import { fileStores } from '../storage/file-stores.js';
import { canonicalOrigin, EMBEDDED_ORIGIN, ENVIRONMENTS } from '../contract/access.js';
import { counted, enumerated } from '../contract/on-screen.js';
import { renderNote } from '../output/error-prose.js';
import type { DatabaseProblem } from '../runtime/database-unusable.js';
import { Failure } from '../runtime/failure.js';
import type { Ports } from '../runtime/ports.js';
import { readAnnouncedUrl } from './owner.js';

export async function forgetSandbox(run: Run, { origin }: Pick<ServiceConnection, 'origin'>): Promise<void> {
  const { ports, flags } = run;
  const hasAddress = flags['base-url'] !== undefined || ports.env['SVC_BASE_URL'] !== undefined;
  const isDefaultStore = !hasAddress || readAnnouncedUrl(defaultStore(ports)) === origin;
  await forgetPlaces(run, isDefaultStore ? [origin, EMBEDDED_ORIGIN] : [origin]);
}

export async function forgetPlaces(run: Run, addresses: readonly string[]): Promise<void> {
  const { ports, flags } = run;
  const origins = new Set(addresses.map(canonicalOrigin));
  const places = ENVIRONMENTS.flatMap((environment) =>
    [...origins].map((origin) => ({ environment, origin })),
  );
  let [batchCount, requestCount, operationCount, checkpointCount] = [0, 0, 0, 0];
  const files = fileStores(ports);
  const ownStores = await run.app.stores();
  for (const stores of ownStores.where.isShared ? [files, ownStores] : [files]) {
    if (stores.has('batches')) {
      await using store = await stores.openBatches();
      for (const { id, name, origin } of await store.list()) {
        if (!origins.has(origin) || (await stores.isAtWork(name))) continue;
        await store.discard(id);
        batchCount += 1;
      }
    }
    if (stores.has('journal')) {
      await using journal = await stores.openJournal();
      for (const { environment, origin } of places) requestCount += await journal.drop(environment, origin);
    }
    if (stores.has('mirrors')) {
      await using mirrors = await stores.openMirrors();
      for (const { environment, origin } of places)
        operationCount += await mirrors.forgetPlace(environment, origin);
    }
    checkpointCount += await stores.dropCheckpoints(({ address }) => origins.has(canonicalOrigin(address)));
  }
  const counts = [
    [batchCount, counted(batchCount, 'batch')],
    [requestCount, counted(requestCount, 'request')],
    [operationCount, `${counted(operationCount, 'operation')} from events`],
    [checkpointCount, counted(checkpointCount, 'checkpoint')],
  ] as const;
  const parts = counts.filter(([count]) => count > 0).map(([, part]) => part);
  if (parts.length === 0 || flags.quiet) return;
  const text = `Dropped what svc knew of this sandbox: ${enumerated(parts, 'and')}.`;
  await ports.errors.write(renderNote(text, ports.errors));
}

const PROBLEM_WORDS: Readonly<Partial<Record<DatabaseProblem, string>>> = {
  newer: 'was written by a newer version of svc',
  older: 'was written by an older version of svc that this one cannot read',
  damaged: 'was damaged',
};

export function resetFailure(error: unknown): unknown {
  if (!(error instanceof Failure) || error.kind !== 'unavailable') return error;
  const text =
    'The server that is using the store could not empty it. It shows the reason in its own terminal. ' +
    'Stop it, then run this again: svc then replaces a store that cannot be used.';
  return new Failure(error.kind, text, { ...error.facts, cause: error });
}

export const openReset = (ports: Ports): Promise<ServiceConnection> =>
  openEmbedded(ports, async (options) => {
    const { openForReset } = await import('./renewal.js');
    const { sandbox, replacementReason } = await openForReset(options);
    if (replacementReason === null) return sandbox;
    const why = PROBLEM_WORDS[replacementReason.problem] ?? 'could not be used';
    const text = `The sandbox's store ${why}. svc made a new one, with a new key.`;
    await ports.errors.write(renderNote(text, ports.errors));
    return sandbox;
  });
