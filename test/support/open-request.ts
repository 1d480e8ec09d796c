import type { Clock } from '../../src/runtime/clock.js';
import { payout } from './requests.js';
import { shakySandbox, type Fate } from './shaky-sandbox.js';
import { world, type Result, type RunOptions, type World } from './svc.js';

export { LOST, NOT_ARRIVED } from './shaky-sandbox.js';
export const KEY = 'invoice-2048';

export type Shop = ReturnType<typeof shop>;

export function shop(clockOf: (home: World) => Clock = ({ clock }) => clock) {
  const home = world();
  const service = shakySandbox(clockOf(home));
  const svc = (line: string | readonly string[], options: RunOptions = {}): Promise<Result> =>
    home.svc(line, { transport: service.transport, ...options, env: { ...service.env, ...options.env } });
  return {
    ...{ home, service, svc },
    pay: (key: string, fates: readonly Fate[] = [], options: RunOptions = {}, ...more: readonly string[]) => {
      service.next(...fates);
      return svc([...payout(), '--reference', key, '--idempotency-key', key, ...more], options);
    },
    open: async () => {
      const { requests } = (await svc('requests list')).json() as { requests: Record<string, unknown>[] };
      return requests;
    },
  };
}
