/** The guard of a live session: looks at the lock and at the policy of this machine, judges by them what is about to leave, and makes its permit. */
import type { Permit } from '../../contract/permit.js';
import type { SendingFacts, SendingVerdict } from '../../guard/decision.js';
import { type Lock, LOCK_VARIABLE, tightestOf } from '../../guard/lock.js';
import type { PolicyState } from '../../guard/policy.js';
import type { Ports } from '../../runtime/ports.js';
import type { HttpRequest } from '../../runtime/transport.js';
import type { Guard } from './guard.js';
import { lookAtPolicy, policyStateOf } from './policy-state.js';

/** The file is looked at again after that long: a policy that was changed holds for the next rows of a batch. */
const LOOK_MS = 100;
const READ: Pick<HttpRequest, 'method' | 'headers' | 'body'> = { method: 'GET', headers: {}, body: null };

/** Rules that ask nothing of a body. */
const IN_ANY_CASE = /^(lock|policy|addresses|request)$|\.allow$/;

/** The lock that binds this process, in the sandbox too; null where none is on. */
export function lockOf({ env, machine }: Pick<Ports, 'env' | 'machine'>): Lock | null {
  return tightestOf([env[LOCK_VARIABLE], ...machine.parentLocks()]);
}

/** @throws Failure `unsafe` (`locked`) where a lock is on: what a person alone may do */
export async function refuseLocked(ports: Pick<Ports, 'env' | 'machine'>): Promise<void> {
  const lock = lockOf(ports);
  if (lock === null) return;
  const { lockedFailure } = await import('./refusal.js');
  throw lockedFailure(lock);
}

/**
 * A lock that lets nothing live is told before anything else: for that no key and no address is needed.
 * @throws Failure `unsafe` (`locked`) where such a lock is on
 */
export async function refuseLockedLive(ports: Pick<Ports, 'env' | 'machine'>): Promise<void> {
  if (lockOf(ports) === 'sandbox') await refuseLocked(ports);
}

/**
 * @param serviceUrl what `/v2` is appended to
 * @param serviceMs the service's time; null where it said none. Asks for it where this process has not heard it
 * @throws Failure `unsafe` where nothing may be read from there
 */
export async function openGuard(
  ports: Pick<Ports, 'env' | 'machine' | 'clock'>,
  serviceUrl: string,
  serviceMs: () => Promise<number | null>,
): Promise<Guard> {
  const lock = lockOf(ports);
  let seen: { readonly atMs: number; readonly bytes: Uint8Array | null; readonly state: PolicyState } | null =
    null;

  const state = async (): Promise<PolicyState> => {
    const atMs = ports.clock.monotonic();
    if (seen !== null && atMs - seen.atMs < LOOK_MS) return seen.state;
    const found = lookAtPolicy(ports.machine);
    const bytes = found.kind === 'bytes' ? found.bytes : null;
    const before = seen;
    const bytesBefore = before?.bytes ?? null;
    const isSame = bytes !== null && bytesBefore !== null && Buffer.compare(bytes, bytesBefore) === 0;
    const is = before !== null && isSame ? before.state : await policyStateOf(found);
    seen = { atMs, bytes, state: is };
    return is;
  };

  const verdictOn = async (
    request: HttpRequest,
    standing: Partial<SendingFacts>,
  ): Promise<SendingVerdict> => {
    const policy = await state();
    if (lock === null && policy.kind === 'none') return { kind: 'allowed' };
    const [{ judgeSending, NEW }, { sendingOf }] = await Promise.all([
      import('../../guard/decision.js'),
      import('../../guard/sending.js'),
    ]);
    const ruling = { environment: 'live', lock, policy } as const;
    const sending = sendingOf(request, serviceUrl);
    const verdict = judgeSending(ruling, sending, { ...NEW, ...standing });
    // Only what has hours asks for the time.
    if (verdict.kind === 'allowed' || verdict.code !== 'time_unknown') return verdict;
    return judgeSending(ruling, sending, { ...NEW, ...standing, serviceMs: await serviceMs() });
  };

  const guard: Guard = {
    state,
    isAsked: async () => lock !== null || (await state()).kind !== 'none',
    judge: async (request, standing = {}) => {
      const verdict = await verdictOn(request, standing);
      if (verdict.kind === 'refused') throw (await import('./refusal.js')).refusalFailure(verdict);
    },
    judgeDraft: async (request) => {
      const verdict = await verdictOn(request, {});
      if (verdict.kind === 'refused' && IN_ANY_CASE.test(verdict.field))
        throw (await import('./refusal.js')).refusalFailure(verdict);
    },
    permit: async (request, standing): Promise<Permit> => {
      await guard.judge(request, standing);
      const { permitFor } = await import('../../contract/permit.js');
      return permitFor(request);
    },
  };
  await guard.judge({ ...READ, url: `${serviceUrl}/v2/capabilities` });
  return guard;
}
