/** Writes a plan for a command: mode 0600, whole or not at all, and with the signature of its maker where somebody signs. */
import type { PlanFacts, PlanDraft } from '../../guard/plan/reading.js';
import { headLine, type PlanHead } from '../../guard/plan/spelling.js';
import type { Ports } from '../../runtime/ports.js';
import { requireKeygen } from '../../runtime/ssh-keygen.js';
import { makeTemporaryFolder } from '../../runtime/temporary-folder.js';
import { beginWholeFile } from '../../runtime/whole-file.js';
import { readPlanFile } from './plan-file.js';
import { PLAN_BEGINNING } from './plan-asked.js';
import { signaturePath, signedText, signingKey, writeSignature } from './signing.js';

/** What a plan is made of. */
export interface PlanParts {
  readonly path: string;
  readonly facts: Omit<PlanFacts, 'maker'>;
  /** Has seen all of the lines. */
  readonly draft: PlanDraft;
  /** The lines of the bodies, in their order, once more. */
  readonly lines: () => AsyncIterable<string>;
  /** The key that signs as the maker's; undefined where nobody does. */
  readonly sshKey: string | undefined;
}

export interface WrittenPlan {
  readonly head: PlanHead;
  readonly digest: string;
  /** The path of the maker's signature; null without one. */
  readonly signature: string | null;
}

/** @throws Failure `unsafe` where something else stands there, `local_state`, `bad_file` where it was not signed; Stopped */
export async function writePlan(
  { path, facts, draft, lines, sshKey }: PlanParts,
  ports: Pick<Ports, 'env' | 'errors' | 'signal' | 'random' | 'machine'>,
): Promise<WrittenPlan> {
  const folder = makeTemporaryFolder('svc-plan-', ports.random);
  try {
    const keygen = sshKey === undefined ? null : await requireKeygen(ports.machine, folder.path);
    const key = sshKey === undefined || keygen === null ? null : await signingKey(sshKey, keygen);
    const head = draft.head({ ...facts, maker: key?.fingerprint ?? null });
    const file = beginWholeFile(path, PLAN_BEGINNING);
    try {
      file.write(`${headLine(head)}\n`);
      for await (const line of lines()) file.write(`${line}\n`);
      // What was written is read as everybody else will read it.
      const written = file.written();
      const { digest } = await readPlanFile(written, { undone: 'Nothing was sent.' });
      const signed =
        key === null || keygen === null
          ? null
          : await signedText({ bytes: written, role: 'maker', key, keygen }, ports);
      file.finish();
      const signature = key === null ? null : signaturePath(path, 'maker', key);
      if (signed !== null && signature !== null) writeSignature(signature, signed);
      return { head, digest, signature };
    } finally {
      file.abandon();
    }
  } finally {
    folder.remove();
  }
}
