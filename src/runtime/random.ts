/** The port to randomness: the only place that asks the machine for it. */
import { randomBytes, randomUUID } from 'node:crypto';

export interface Random {
  /** A uuid of version 4. */
  uuid(): string;
  /** That many random bytes in lower-case hexadecimal: twice as many characters. */
  hex(byteCount: number): string;
  /** At least 0, less than 1; for jitter only, never for a secret. */
  fraction(): number;
}

export const systemRandom: Random = {
  uuid: () => randomUUID(),
  hex: (byteCount) => randomBytes(byteCount).toString('hex'),
  fraction: () => Math.random(),
};
