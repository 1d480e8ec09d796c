/** A list of signers as `ssh-keygen` reads it: who may sign what, and until when. It tells a person what a list says; what counts is what `ssh-keygen` verifies. Pure. */
import { utf8In } from '../../contract/json.js';
import { NAMESPACES, type SignerRole } from './signature.js';

/** A line of the list that has a key. */
export interface SignerLine {
  /** From 1. */
  readonly number: number;
  /** As they stand, patterns too. */
  readonly names: string;
  readonly roles: readonly SignerRole[];
  /** It certifies other keys. */
  readonly isAuthority: boolean;
  /** In milliseconds since the epoch; null where it is valid for ever. */
  readonly validBeforeMs: number | null;
  /** The same for its beginning. */
  readonly validAfterMs: number | null;
  /** In base64. */
  readonly key: string;
}

const NAMED = /^\s*(?:"([^"]*)"|(\S+))\s+(.*)$/;
const KEY = /(?:^|\s)((?:sk-)?(?:ssh|ecdsa)-[\w@.-]+)\s+([A-Za-z0-9+/]+=*)(?:\s|$)/;
const ROLES = Object.keys(NAMESPACES) as readonly SignerRole[];

/** Its lines in their order; comments, and lines that have no key, are none. */
export function signerLines(list: Uint8Array): SignerLine[] {
  return utf8In(list)
    .split('\n')
    .flatMap((text, at): SignerLine[] => {
      const [, quoted, plain = '', rest = ''] = NAMED.exec(text.trim()) ?? [];
      const [, , key = ''] = KEY.exec(` ${rest}`) ?? [];
      if (key === '' || plain.startsWith('#')) return [];
      const options = optionsIn(rest.slice(0, rest.search(/(?:sk-)?(?:ssh|ecdsa)-/)));
      const namespaces = options.get('namespaces');
      return [
        {
          number: at + 1,
          names: quoted ?? plain,
          roles: ROLES.filter(
            (role) => namespaces === undefined || namespaces.split(',').includes(NAMESPACES[role]),
          ),
          isAuthority: options.has('cert-authority'),
          validBeforeMs: timeMs(options.get('valid-before')),
          validAfterMs: timeMs(options.get('valid-after')),
          key,
        },
      ];
    });
}

/** By their names in small letters; one without a value has an empty one. */
function optionsIn(text: string): ReadonlyMap<string, string> {
  const found = text.matchAll(/([a-z-]+)(?:="([^"]*)")?/gi);
  return new Map([...found].map(([, name = '', value = '']) => [name.toLowerCase(), value]));
}

/** `20261220`, `20261220Z`, `202612201530Z`, `20261220153000Z`; `svc` asks in UTC, with or without the letter. */
function timeMs(text: string | undefined): number | null {
  const [, year, month, day, hour = '00', minute = '00', second = '00'] =
    /^(\d{4})(\d{2})(\d{2})(?:(\d{2})(\d{2})(\d{2})?)?Z?$/.exec(text ?? '') ?? [];
  if (year === undefined) return null;
  const ms = Date.parse(`${year}-${month ?? ''}-${day ?? ''}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(ms) ? null : ms;
}
