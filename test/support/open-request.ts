/** A world in which creates get lost, and what is open in it afterwards. */
import type { Clock } from '../../src/runtime/clock.js';
import { payout } from './requests.js';
import { shakySandbox, type Fate, type ShakySandbox } from './shaky-sandbox.js';
import { world, type Result, type RunOptions, type World } from './svc.js';

export { LOST, NOT_ARRIVED } from './shaky-sandbox.js';
export const KEY = 'invoice-2048';

export interface Shop {
  readonly home: World;
  readonly service: ShakySandbox;
  /** Runs a command against the service. */
  svc(line: string | readonly string[], options?: RunOptions): Promise<Result>;
  /** A payout with this key whose POSTs meet these fates. */
  pay(
    key: string,
    fates?: readonly Fate[],
    options?: RunOptions,
    ...more: readonly string[]
  ): Promise<Result>;
  /** What is open, as `svc requests list` says. */
  open(): Promise<readonly Record<string, unknown>[]>;
}

/** @param clockOf the service's clock; by default the machine's own */
export function shop(clockOf: (home: World) => Clock = ({ clock }) => clock): Shop {
  const home = world();
  const service = shakySandbox(clockOf(home));
  const svc = (line: string | readonly string[], options: RunOptions = {}): Promise<Result> =>
    home.svc(line, { transport: service.transport, ...options, env: { ...service.env, ...options.env } });
  return {
    ...{ home, service, svc },
    pay: (key, fates = [], options = {}, ...more) => {
      service.next(...fates);
      return svc([...payout(), '--reference', key, '--idempotency-key', key, ...more], options);
    },
    open: async () => {
      const { requests } = (await svc('requests list')).json() as { requests: Record<string, unknown>[] };
      return requests;
    },
  };
}
