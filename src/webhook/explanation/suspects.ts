/** What may have been signed, and with what: the keys, the timestamps, and how suspects are put together, the fewest differences first. Pure. */
import { cause, given, type Suspect } from './cause.js';

/** A secret that is not valid for the delivery and may have been used all the same. */
export interface OtherSecret {
  readonly secret: string;
  /** Whose it is, in words: `the live environment's secret`. */
  readonly name: string;
}

/** The valid secrets first, then the others, then what senders make of a secret by mistake. */
export function keySuspects(
  secrets: readonly string[],
  others: readonly OtherSecret[],
): Suspect<string | Buffer>[] {
  const unknown = others.filter(({ secret }) => !secrets.includes(secret));
  return [
    ...secrets.map((secret) => given(secret)),
    ...unknown.map(({ secret, name }) => ({ value: secret, cause: cause('other_secret', name) })),
    ...secrets.flatMap(mistakes),
  ];
}

function mistakes(secret: string): Suspect<string | Buffer>[] {
  const found: Suspect<string | Buffer>[] = [{ value: `${secret}\n`, cause: cause('secret_newline') }];
  const rest = secret.replace(/^whsec_/, '');
  if (rest !== secret && rest !== '') found.push({ value: rest, cause: cause('secret_prefix') });
  if (/^(?:[0-9a-fA-F]{2})+$/.test(rest)) {
    found.push({ value: Buffer.from(rest, 'hex'), cause: cause('secret_decoded', 'hexadecimal') });
  }
  const bytes = Buffer.from(rest, 'base64');
  if (/^[A-Za-z0-9+/_-]+={0,2}$/.test(rest) && bytes.length > 0) {
    found.push({ value: bytes, cause: cause('secret_decoded', 'base64') });
  }
  return found;
}

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

/** How far from each centre, in seconds. */
const REACH_SECONDS = 3600;
/** What may be spent on it: bytes that are hashed, and hashes. */
const BYTES_MAX = 128 * 1024 * 1024;
const HASHES_MAX = 30_000;

/**
 * The first of the times near the centres (Unix seconds) that `isSigned` confirms, or null.
 * @param bytesPerTry what one confirmation hashes
 */
export function findTimestamp(
  centres: readonly number[],
  bytesPerTry: number,
  isSigned: (stamp: string) => boolean,
): number | null {
  const triesMax = Math.min(HASHES_MAX, Math.floor(BYTES_MAX / Math.max(1, bytesPerTry)));
  let tries = 0;
  for (let distance = 0; distance <= REACH_SECONDS; distance += 1) {
    for (const centre of centres) {
      for (const time of distance === 0 ? [centre] : [centre - distance, centre + distance]) {
        if (tries >= triesMax) return null;
        tries += 1;
        if (time >= 0 && isSigned(String(time))) return time;
      }
    }
  }
  return null;
}
