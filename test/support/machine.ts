import type { Machine } from '../../src/runtime/ports.js';

export const BARE_MACHINE: Machine = {
  policyFile: '/etc/svc/policy.json',
  keygens: [],
  readTrusted: () => ({ kind: 'absent' }),
  parentLocks: () => [],
};

export function machineWith(policy: () => object | string): Machine {
  return {
    ...BARE_MACHINE,
    readTrusted: (path) => {
      if (path !== BARE_MACHINE.policyFile) return { kind: 'absent' };
      const text = policy();
      const bytes = Buffer.from(typeof text === 'string' ? text : JSON.stringify(text));
      return { kind: 'bytes', bytes, binds: true };
    },
  };
}
