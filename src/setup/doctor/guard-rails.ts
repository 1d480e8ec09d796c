import { lockOf } from '../../session/guard/open-guard.js';
import { readPolicyFile, policyStateOf } from '../../session/guard/read-policy.js';
import { momentText } from '../../contract/notation.js';
import type { Policy } from '../../session/guard/policy.js';
import { Failure } from '../../runtime/failure.js';
import type { Ports } from '../../runtime/ports.js';
import { type Check, error, ok, warning } from './view.js';

export async function checkGuardRails(ports: Ports): Promise<Check[]> {
  const state = await policyStateOf(readPolicyFile(ports.machine));
  const lock = lockOf(ports);
  const lockText =
    lock === 'sandbox' ? 'sandbox: nothing is sent live' : 'read-only: live, only reads are sent';
  const lockCheck = ok('lock', lock === null ? 'none' : lockText);
  if (state.kind === 'none') return [ok('policy', 'none: live, all that the key may do is sent'), lockCheck];
  if (state.kind === 'unusable')
    return [error('policy', 'unsafe', `Live, only reads are sent. ${state.why}`), lockCheck];
  const { payouts, payins } = state.policy;
  const text = `in force, payouts: ${payouts.allow}, pay-ins: ${payins.allow}`;
  const bindsNobodyText = 'It binds nobody: this user is root and can change it.';
  return [
    state.binds ? ok('policy', text) : warning('policy', `${text}. ${bindsNobodyText}`),
    lockCheck,
    ...(payouts.approvals > 0 ? [await checkKeygen(ports), await checkSigners(state.policy, ports)] : []),
  ];
}

const SOON_MS = 14 * 86_400_000;

async function checkSigners({ approvals, payouts }: Policy, { machine, clock }: Ports): Promise<Check> {
  const [{ signerLines }, { SIGNERS_MAX_BYTES }] = await Promise.all([
    import('../../batches/approval/signer-list.js'),
    import('../../batches/approval/signature.js'),
  ]);
  const file = approvals.signers;
  const signersFile = machine.readTrusted(file, { maxBytes: SIGNERS_MAX_BYTES });
  if (signersFile.kind !== 'bytes') {
    const why = signersFile.kind === 'absent' ? `There is no ${file}.` : signersFile.why;
    return error('signers', 'unsafe', `Nobody can approve. ${why}`);
  }
  const nowMs = clock.now();
  const approvers = signerLines(signersFile.bytes).filter(
    ({ roles, validAfterMs, validBeforeMs }) =>
      roles.includes('approver') && (validAfterMs ?? nowMs) <= nowMs && (validBeforeMs ?? Infinity) > nowMs,
  );
  const keyCount = new Set(approvers.map(({ key }) => key)).size;
  const hasAuthority = approvers.some(({ isAuthority }) => isAuthority);
  const countText = `${String(keyCount)} of the ${String(payouts.approvals)} that the policy asks for may approve now`;
  if (keyCount < payouts.approvals && !hasAuthority) return warning('signers', countText);
  const endingSigners = approvers.flatMap(({ number, names, validBeforeMs }) =>
    validBeforeMs !== null && validBeforeMs - nowMs < SOON_MS
      ? [`${names} (line ${String(number)}) on ${momentText(validBeforeMs)}`]
      : [],
  );
  return endingSigners.length === 0
    ? ok('signers', `keys that may approve now: ${String(keyCount)}`)
    : warning('signers', `will soon lose the right to approve: ${endingSigners.join(', ')}`);
}

async function checkKeygen({ machine, random }: Ports): Promise<Check> {
  const [{ requireKeygen }, { makeTemporaryFolder }] = await Promise.all([
    import('../../runtime/ssh-keygen.js'),
    import('../../runtime/temporary-folder.js'),
  ]);
  const folder = makeTemporaryFolder('svc-doctor-', random);
  try {
    return ok('ssh-keygen', `${await requireKeygen(machine, folder.path)} can check approvals`);
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure;
    return error('ssh-keygen', failure.kind, failure.message.replace(' Nothing was sent.', ''));
  } finally {
    folder.remove();
  }
}
