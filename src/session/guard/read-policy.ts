import type { PolicyState } from './policy.js';
import type { Machine } from '../../runtime/ports.js';
import type { TrustedFile } from '../../runtime/trusted-file.js';

export function readPolicyFile({ readTrusted, policyFile }: Machine): TrustedFile {
  return readTrusted(policyFile, { maxBytes: 256 * 1024 });
}

export async function policyStateOf(file: TrustedFile): Promise<PolicyState> {
  if (file.kind === 'absent') return { kind: 'none' };
  if (file.kind !== 'bytes') return { kind: 'unusable', code: `policy_${file.kind}`, why: file.why };
  const { parsePolicy, PolicyUnusable } = await import('./policy.js');
  try {
    return { kind: 'policy', policy: parsePolicy(file.bytes), binds: file.binds };
  } catch (error) {
    if (!(error instanceof PolicyUnusable)) throw error;
    return { kind: 'unusable', code: error.code, why: error.message };
  }
}
