import type { Permit } from '../../contract/permit.js';
import type { SendingFacts, SendingVerdict } from './decision.js';
import { type Lock, LOCK_VARIABLE, tightestLock } from './lock.js';
import type { PolicyState } from './policy.js';
import type { Ports } from '../../runtime/ports.js';
import type { HttpRequest } from '../../runtime/transport.js';
import type { Guard } from './guard.js';
import { readPolicyFile, policyStateOf } from './read-policy.js';

/** The policy file is read again after this time, because a change must apply to the next rows of a batch. */
const REREAD_MS = 100;

const BODY_FREE_RULES = /^(lock|policy|addresses|request)$|\.allow$/;

export function lockOf({ env, machine }: Pick<Ports, 'env' | 'machine'>): Lock | null {
  return tightestLock([env[LOCK_VARIABLE], ...machine.parentLocks()]);
}

export async function refuseLocked(ports: Pick<Ports, 'env' | 'machine'>): Promise<void> {
  const lock = lockOf(ports);
  if (lock === null) return;
  const { lockedFailure } = await import('./refusals.js');
  throw lockedFailure(lock);
}

export async function openGuard(
  ports: Pick<Ports, 'env' | 'machine' | 'clock'>,
  serviceUrl: string,
  readServiceMs: () => Promise<number | null>,
): Promise<Guard> {
  const lock = lockOf(ports);
  let lastRead: {
    readonly atMs: number;
    readonly bytes: Uint8Array | null;
    readonly state: PolicyState;
  } | null = null;

  const state = async (): Promise<PolicyState> => {
    const atMs = ports.clock.monotonic();
    if (lastRead !== null && atMs - lastRead.atMs < REREAD_MS) return lastRead.state;
    const file = readPolicyFile(ports.machine);
    const bytes = file.kind === 'bytes' ? file.bytes : null;
    const previousRead = lastRead;
    const previousBytes = previousRead?.bytes ?? null;
    const isUnchanged =
      bytes !== null && previousBytes !== null && Buffer.compare(bytes, previousBytes) === 0;
    const currentState =
      previousRead !== null && isUnchanged ? previousRead.state : await policyStateOf(file);
    lastRead = { atMs, bytes, state: currentState };
    return currentState;
  };

  const verdictOn = async (request: HttpRequest, facts: Partial<SendingFacts>): Promise<SendingVerdict> => {
    const policy = await state();
    if (lock === null && policy.kind === 'none') return { kind: 'allowed' };
    const [{ judgeSending, NEW_CREATE }, { sendingOf }] = await Promise.all([
      import('./decision.js'),
      import('./request-kind.js'),
    ]);
    const rules = { environment: 'live', lock, policy } as const;
    const sending = sendingOf(request, serviceUrl);
    const verdict = judgeSending(rules, sending, { ...NEW_CREATE, ...facts });
    if (verdict.kind === 'allowed' || verdict.code !== 'time_unknown') return verdict;
    return judgeSending(rules, sending, { ...NEW_CREATE, ...facts, serviceMs: await readServiceMs() });
  };

  const guard: Guard = {
    state,
    hasRules: async () => lock !== null || (await state()).kind !== 'none',
    judge: async (request, facts = {}) => {
      const verdict = await verdictOn(request, facts);
      if (verdict.kind === 'refused') throw (await import('./refusals.js')).refusalFailure(verdict);
    },
    judgeDraft: async (request) => {
      const verdict = await verdictOn(request, {});
      if (verdict.kind === 'refused' && BODY_FREE_RULES.test(verdict.field))
        throw (await import('./refusals.js')).refusalFailure(verdict);
    },
    permit: async (request, facts): Promise<Permit> => {
      await guard.judge(request, facts);
      const { permitFor } = await import('../../contract/permit.js');
      return permitFor(request);
    },
  };
  await guard.judge({ method: 'GET', url: `${serviceUrl}/v2/capabilities`, headers: {}, body: null });
  return guard;
}
