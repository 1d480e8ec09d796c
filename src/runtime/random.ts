/** The port to randomness: the only place that asks the machine for it. */
import type * as Crypto from 'node:crypto';

export interface Random {
  /** A uuid of version 4. */
  uuid(): string;
  /** That many random bytes in lower-case hexadecimal: twice as many characters. */
  hex(byteCount: number): string;
  /** At least 0, less than 1; for jitter only, never for a secret. */
  fraction(): number;
}

/** Loaded when it is asked for: a read needs no randomness, and this is a tenth of its start. */
function crypto(): typeof Crypto {
  return process.getBuiltinModule('node:crypto');
}

export const systemRandom: Random = {
  uuid: () => crypto().randomUUID(),
  hex: (byteCount) => crypto().randomBytes(byteCount).toString('hex'),
  fraction: () => Math.random(),
};
