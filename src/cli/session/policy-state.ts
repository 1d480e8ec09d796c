/** Reads the policy of this machine: none, in force, or unusable. The code of its rules loads only if there is one. */
import type { PolicyState } from '../../guard/policy.js';
import type { Machine } from '../../runtime/ports.js';
import type { TrustedFile } from '../../runtime/trusted-file.js';

export function readPolicyFile({ readTrusted, policyFile }: Machine): TrustedFile {
  return readTrusted(policyFile, { maxBytes: 256 * 1024 });
}

export async function policyStateOf(found: TrustedFile): Promise<PolicyState> {
  if (found.kind === 'absent') return { kind: 'none' };
  if (found.kind !== 'bytes') return { kind: 'unusable', code: `policy_${found.kind}`, why: found.why };
  const { parsePolicy, PolicyUnusable } = await import('../../guard/policy.js');
  try {
    return { kind: 'policy', policy: parsePolicy(found.bytes), binds: found.binds };
  } catch (error) {
    if (!(error instanceof PolicyUnusable)) throw error;
    return { kind: 'unusable', code: error.code, why: error.message };
  }
}
