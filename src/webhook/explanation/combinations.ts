/** Puts the suspects together: what may have been signed, the fewest differences first. Pure. */
import { cause, given, type Suspect } from './cause.js';

/** What is signed, from timestamp and body. */
type Layout = (stamp: string, body: Uint8Array) => readonly (string | Uint8Array)[];
const LAYOUTS: readonly Suspect<Layout>[] = [
  given((stamp, body) => [stamp, '.', body]),
  { value: (stamp, body) => [stamp, body], cause: cause('missing_dot') },
  { value: (_stamp, body) => [body], cause: cause('timestamp_unsigned') },
];

/** Every combination in which nothing differs, then one thing, then two; never three, which would prove too much. */
export function* combinations(
  stamps: readonly Suspect<string>[],
  keys: readonly Suspect<string | Buffer>[],
  bodies: readonly Suspect<Uint8Array>[],
) {
  for (const differing of [0, 1, 2]) {
    for (const stamp of stamps) {
      for (const key of keys) {
        for (const layout of LAYOUTS) {
          const before = [stamp, key, layout].filter((suspect) => suspect.cause !== null).length;
          if (before > differing) continue;
          for (const body of bodies) {
            const causes = [stamp, key, layout, body].flatMap((suspect) => suspect.cause ?? []);
            if (causes.length !== differing) continue;
            yield { values: [stamp.value, key.value, layout.value, body.value] as const, causes };
          }
        }
      }
    }
  }
}
