/** `--failure CODE/REASON`, as commands of the sandbox take it. */
import { Failure } from '../../runtime/failure.js';

/** @throws Failure `usage` */
export function failureOf(text: string): { code: string; reason: string | undefined } {
  const [, code, reason] = /^([a-z_]+)(?:\/([a-z_]+))?$/.exec(text) ?? [];
  if (code !== undefined) return { code, reason };
  throw new Failure(
    'usage',
    '--failure must be CODE or CODE/REASON, for example rejected/other. Nothing was sent.',
  );
}
