/** A world in which creates get lost, and what is open in it afterwards. */
import type { Clock } from '../../src/runtime/clock.js';
import { payout } from './requests.js';
import { shakySandbox, type Fate } from './shaky-sandbox.js';
import { world, type Result, type RunOptions, type World } from './svc.js';

export { LOST, NOT_ARRIVED } from './shaky-sandbox.js';
export const KEY = 'invoice-2048';

export type Shop = ReturnType<typeof shop>;

/** @param clockOf the service's clock; by default the machine's own */
export function shop(clockOf: (home: World) => Clock = ({ clock }) => clock) {
  const home = world();
  const service = shakySandbox(clockOf(home));
  /** Runs a command against the service. */
  const svc = (line: string | readonly string[], options: RunOptions = {}): Promise<Result> =>
    home.svc(line, { transport: service.transport, ...options, env: { ...service.env, ...options.env } });
  return {
    ...{ home, service, svc },
    /** A payout with this key whose POSTs meet these fates. */
    pay: (key: string, fates: readonly Fate[] = [], options: RunOptions = {}, ...more: readonly string[]) => {
      service.next(...fates);
      return svc([...payout(), '--reference', key, '--idempotency-key', key, ...more], options);
    },
    /** What is open, as `svc requests list` says. */
    open: async () => {
      const { requests } = (await svc('requests list')).json() as { requests: Record<string, unknown>[] };
      return requests;
    },
  };
}
