import { openAtExam } from '../beside/exam.js';
import { systemClock } from '../../runtime/clock.js';
import { SEED_TARGET } from '../control/call.js';
import { type AskSandbox, sandboxControl, type SandboxControl } from './control.js';
import type { Engine, EngineOptions, UnansweredDelivery } from './engine.js';
import { importState } from './state.js';
import type { DeliveryRow } from './types.js';

const REQUEST_TIMEOUT_MS = 60_000;
const POLL_MS = 10;

export async function startExamEngine(
  address: string,
  { live, keys_of_refused: keysOfRefused, now: nowMs, ...rest }: EngineOptions,
  seed: Uint8Array | null,
): Promise<Engine> {
  const { createUndiciTransport } = await import('../../client/undici.js');
  const network = createUndiciTransport({ clock: systemClock, connections: 256 });
  const settings = { ...rest, keysOfRefused, nowMs, isLive: live };
  const examSandbox = await openAtExam(address, settings, network.send).catch(async (error: unknown) => {
    await network.close();
    throw error;
  });
  const { baseUrl } = examSandbox;
  const ask: AskSandbox = ({ method, target, headers, body }) =>
    network.send(
      {
        ...{ method, url: baseUrl + target, body: body.length === 0 ? null : body },
        headers: Object.fromEntries(headers.filter(([name]) => name !== 'host')),
      },
      { timeoutMs: REQUEST_TIMEOUT_MS },
    );
  const control = sandboxControl(ask);
  let { apiKey } = examSandbox;
  let isClosing = false;
  let startKey: string | null = null;
  if (seed !== null)
    try {
      const key = await importState(ask, seed, SEED_TARGET);
      if (!live) apiKey = startKey = key;
    } catch (error) {
      await examSandbox.close().finally(() => network.close());
      throw error;
    }
  return {
    baseUrl,
    get apiKey() {
      return apiKey;
    },
    ask,
    transport: network.send,
    replaceKey: (importedKey) => {
      if (!live) apiKey = importedKey ?? startKey ?? apiKey;
    },
    waitForDeliveries: async (patienceMs) => {
      const untilMs = systemClock.monotonic() + patienceMs;
      for (;;) {
        const deliveries = await dueDeliveries(control).catch((error: unknown) => {
          throw isClosing ? new Error('Nobody waits for deliveries any more: the sandbox is closed.') : error;
        });
        if (deliveries.length === 0 || systemClock.monotonic() >= untilMs) return deliveries;
        await systemClock.sleep(POLL_MS);
      }
    },
    close: async () => {
      isClosing = true;
      await examSandbox.close();
      await network.close();
    },
  };
}

async function dueDeliveries({ get }: SandboxControl): Promise<UnansweredDelivery[]> {
  const { deliveries } = (await get('deliveries?status=pending')) as { deliveries: DeliveryRow[] };
  if (deliveries.length === 0) return [];
  const { now } = (await get('clock')) as { now: string };
  return deliveries
    .filter(({ next_attempt_at: next }) => next !== null && next <= now)
    .filter(({ fault }) => fault !== 'hold' && fault !== 'reorder')
    .map((row) => ({ delivery: row, url: row.url }));
}
