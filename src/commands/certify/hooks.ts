/** The way of deliveries in an exam: a wrapper of the transport that hands each over twice, late, in another order, and writes down what came of it. */
import { jsonIn } from '../../contract/json.js';
import { isObject } from '../../contract/shape.js';
import type { ClientFault } from '../../certify/cases/client-faults.js';
import type { Clock } from '../../runtime/clock.js';
import type { HttpAnswer, Transport } from '../../runtime/transport.js';
import type { Recorder } from './recorder.js';

export interface Hooks {
  readonly transport: Transport;
  /** Resolves once a delivery about this operation was handed over, and after a second. */
  handled(operation: string): Promise<void>;
}

/** How late a delivery is where that is the fault. */
const LATE_MS = 1500;
/** How long a delivery waits for one that shall pass it, and an answer for the delivery that shall come before it. */
const PATIENCE_MS = 1000;

/** @param fault that of the case; one that is not about deliveries changes nothing */
export function hooksOf(
  transport: Transport,
  clock: Clock,
  recorder: Recorder,
  fault: ClientFault | null,
): Hooks {
  const handedOver = new Map<string, PromiseWithResolvers<unknown>>();
  const passed = Promise.withResolvers();
  let met = 0;
  const gateOf = (operation: string): PromiseWithResolvers<unknown> => {
    const known = handedOver.get(operation) ?? Promise.withResolvers();
    handedOver.set(operation, known);
    return known;
  };
  return {
    handled: (operation) => inTime(gateOf(operation).promise, clock),
    transport: async (request, options) => {
      const { type, operation } = aboutOf(request.body);
      const isEvent = type !== 'test.ping';
      if (isEvent) met += 1;
      const place = met;
      if (isEvent && fault === 'hooks-late') await clock.sleep(LATE_MS, options.signal);
      if (isEvent && fault === 'hooks-swapped' && place === 1)
        await inTime(passed.promise, clock, options.signal);
      const note = recorder.handedOver(request.body ?? new Uint8Array());
      const handOver = async (): Promise<HttpAnswer> => {
        try {
          const answer = await transport(request, options);
          note(answer.status);
          return answer;
        } catch (error) {
          note(null);
          throw error;
        }
      };
      try {
        const answer = await handOver();
        const isAccepted = answer.status >= 200 && answer.status < 300;
        return isEvent && isAccepted && fault === 'hooks-twice' ? await handOver() : answer;
      } finally {
        if (place === 2) passed.resolve(null);
        if (operation !== null) gateOf(operation).resolve(null);
      }
    },
  };
}

/** Resolves with it, or when the patience is at its end. @throws the reason of the signal */
async function inTime(work: Promise<unknown>, clock: Clock, signal?: AbortSignal): Promise<void> {
  const ended = new AbortController();
  const either = signal === undefined ? ended.signal : AbortSignal.any([signal, ended.signal]);
  const late = clock.sleep(PATIENCE_MS, either).catch(() => signal?.throwIfAborted());
  await Promise.race([work, late]);
  ended.abort();
}

/** What a delivery is about. */
function aboutOf(body: Uint8Array | null): { readonly type: string; readonly operation: string | null } {
  const event = body === null ? undefined : jsonIn(body);
  if (!isObject(event)) return { type: '', operation: null };
  const { type, data } = event;
  const id = isObject(data) ? data['id'] : null;
  return { type: typeof type === 'string' ? type : '', operation: typeof id === 'string' ? id : null };
}
