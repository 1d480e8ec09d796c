/** Standard error while frames are on it: what is written goes above them, line by line. */
import type { Output } from '../../runtime/streams.js';

export interface Relay {
  readonly output: Output;
  /** Where lines go from now on. */
  to(say: (line: string) => Promise<void>): void;
}

export function relayTo({ isTTY, columns }: Output): Relay {
  let say: (line: string) => Promise<void> = () => Promise.resolve();
  const output: Output = {
    isTTY,
    columns,
    write: async (chunk) => {
      const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
      for (const line of text.trimEnd().split('\n')) await say(line);
    },
  };
  return { output, to: (next: typeof say) => void (say = next) };
}
