import type { ClientFault } from '../client/faults.js';
import { isSuccessStatus } from '../client/run-view.js';
import type { Clock } from '../../runtime/clock.js';
import type { HttpAnswer, Transport } from '../../runtime/transport.js';
import { eventIn, type Recorder } from './recorder.js';

const LATE_MS = 1500;
const DELIVERY_WAIT_MAX_MS = 1000;

export function hooksOf(transport: Transport, clock: Clock, recorder: Recorder, fault: ClientFault | null) {
  const gates = new Map<string, PromiseWithResolvers<unknown>>();
  const secondSent = Promise.withResolvers();
  let eventCount = 0;
  const gateOf = (operation: string): PromiseWithResolvers<unknown> => {
    const gate = gates.get(operation) ?? Promise.withResolvers();
    gates.set(operation, gate);
    return gate;
  };
  const hookTransport: Transport = async (request, options) => {
    const event = eventIn(request.body);
    const isEvent = event.type !== 'test.ping';
    if (isEvent) eventCount += 1;
    const number = eventCount;
    if (isEvent && fault === 'hooks-late') await clock.sleep(LATE_MS, options.signal);
    if (isEvent && fault === 'hooks-swapped' && number === 1)
      await waitInTime(secondSent.promise, clock, options.signal);
    const recordStatus = recorder.recordDelivery(event);
    const handOver = async (): Promise<HttpAnswer> => {
      try {
        const answer = await transport(request, options);
        recordStatus(answer.status);
        return answer;
      } catch (error) {
        recordStatus(null);
        throw error;
      }
    };
    try {
      const answer = await handOver();
      return isEvent && isSuccessStatus(answer.status) && fault === 'hooks-twice' ? await handOver() : answer;
    } finally {
      if (number === 2) secondSent.resolve(null);
      if (event.operation !== null) gateOf(event.operation.id).resolve(null);
    }
  };
  return {
    transport: hookTransport,
    untilSent: (operation: string): Promise<void> => waitInTime(gateOf(operation).promise, clock),
  };
}

async function waitInTime(work: Promise<unknown>, clock: Clock, signal?: AbortSignal): Promise<void> {
  const timeoutEnd = new AbortController();
  const anySignal = signal === undefined ? timeoutEnd.signal : AbortSignal.any([signal, timeoutEnd.signal]);
  const timeout = clock.sleep(DELIVERY_WAIT_MAX_MS, anySignal).catch(() => signal?.throwIfAborted());
  await Promise.race([work, timeout]);
  timeoutEnd.abort();
}
