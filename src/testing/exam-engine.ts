/** A sandbox of the exam that is under way, as a test's engine: the exam opens, serves and closes it, and sees what goes to it. */
import { openAtExam } from '../cli/beside/exam.js';
import { systemClock } from '../runtime/clock.js';
import type { Transport } from '../runtime/transport.js';
import { type AskSandbox, sandboxControl, type SandboxControl } from './control.js';
import { type Engine, type EngineOptions, knowsKey, type OwedDelivery } from './engine.js';
import { putState, takeState } from './state.js';
import type { DeliveryRow } from './types.js';

/** How long a request of this kit may take: a state may be large. */
const LIMIT_MS = 60_000;
/** How often it is looked whether deliveries are answered. */
const LOOK_MS = 10;

/**
 * Its port is of the exam's choosing.
 * @throws Failure `network` where no exam answers; Error where the seed is wrong
 */
export async function startAtExam(
  address: string,
  options: EngineOptions,
  seed: Uint8Array | null,
): Promise<Engine> {
  const { createUndiciTransport } = await import('../client/undici.js');
  const network = createUndiciTransport({ clock: systemClock, connections: 256 });
  return engineOver(address, options, seed, network).catch(async (error: unknown) => {
    await network.close();
    throw error;
  });
}

async function engineOver(
  address: string,
  { live, keys_of_refused: keysOfRefused, ...settings }: EngineOptions,
  seed: Uint8Array | null,
  network: { readonly send: Transport; close(): Promise<void> },
): Promise<Engine> {
  const opened = await openAtExam(address, { ...settings, keysOfRefused, isLive: live }, network.send);
  const { baseUrl } = opened;
  const ask: AskSandbox = ({ method, target, headers, body }) =>
    network.send(
      {
        ...{ method, url: baseUrl + target, body: body.length === 0 ? null : body },
        headers: Object.fromEntries(headers.filter(([name]) => name !== 'host')),
      },
      { timeoutMs: LIMIT_MS },
    );
  const control = sandboxControl(ask);
  let { apiKey } = opened;
  let isClosing = false;
  const restoreKey = async (readyKey?: string): Promise<void> => {
    if (!live) apiKey = readyKey ?? apiKey;
    else if (!(await knowsKey(ask, apiKey))) await putState(ask, withLiveKey(await takeState(ask), apiKey));
  };
  if (seed !== null)
    try {
      await restoreKey(await putState(ask, seed));
    } catch (error) {
      await opened.close();
      throw error;
    }
  return {
    baseUrl,
    get apiKey() {
      return apiKey;
    },
    ask,
    transport: network.send,
    restoreKey,
    answered: async (patienceMs) => {
      const untilMs = systemClock.monotonic() + patienceMs;
      for (;;) {
        const owed = await owedNow(control).catch((error: unknown) => {
          throw isClosing ? new Error('Nobody waits for deliveries any more: the sandbox is closed.') : error;
        });
        if (owed.length === 0 || systemClock.monotonic() >= untilMs) return owed;
        await systemClock.sleep(LOOK_MS);
      }
    },
    close: async () => {
      isClosing = true;
      await opened.close();
      await network.close();
    },
  };
}

/** What is due by the sandbox's clock and not kept back by a fault. */
async function owedNow({ get }: SandboxControl): Promise<OwedDelivery[]> {
  const { deliveries } = (await get('deliveries?status=pending')) as { deliveries: DeliveryRow[] };
  if (deliveries.length === 0) return [];
  const { now } = (await get('clock')) as { now: string };
  return deliveries
    .filter(({ next_attempt_at: next }) => next !== null && next <= now)
    .filter(({ fault }) => fault !== 'hold' && fault !== 'reorder')
    .map((row) => ({ delivery: row, url: row.url }));
}

interface KeptKeys {
  readonly companies: readonly {
    readonly name: string;
    readonly environment: string;
    readonly keys?: readonly object[];
  }[];
}

/** The same state, in which the company `default` has that live key, with every scope. */
function withLiveKey(state: string, key: string): Uint8Array {
  const kept = JSON.parse(state) as KeptKeys;
  const isOwner = ({ name, environment }: KeptKeys['companies'][number]): boolean =>
    name === 'default' && environment === 'live';
  const owner = kept.companies.find(isOwner) ?? { name: 'default', environment: 'live' };
  const others = kept.companies.filter((company) => !isOwner(company));
  const companies = [...others, { ...owner, keys: [...(owner.keys ?? []), { key }] }];
  return Buffer.from(JSON.stringify({ ...kept, companies }));
}
