/** The keys that a sender may have signed with in place of the secret as it is. Pure. */
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
