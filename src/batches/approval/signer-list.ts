/** Parses a list of signers for display only. `ssh-keygen` alone decides whether a key may sign. */
import { decodeUtf8 } from '../../contract/json.js';
import { NAMESPACES, ROLES, type SignerRole } from './signature.js';

export interface SignerLine {
  readonly number: number;
  /** As written: names may be patterns. */
  readonly names: string;
  readonly roles: readonly SignerRole[];
  /** True if the key certifies other keys (`cert-authority`). */
  readonly isAuthority: boolean;
  /** Null: no limit. */
  readonly validBeforeMs: number | null;
  /** Null: no limit. */
  readonly validAfterMs: number | null;
  readonly key: string;
}

const NAMED = /^\s*(?:"([^"]*)"|(\S+))\s+(.*)$/;
const KEY = /(?:^|\s)((?:sk-)?(?:ssh|ecdsa)-[\w@.-]+)\s+([A-Za-z0-9+/]+=*)(?:\s|$)/;

export function signerLines(list: Uint8Array): SignerLine[] {
  return decodeUtf8(list)
    .split('\n')
    .flatMap((text, at): SignerLine[] => {
      const [, quoted, plain = '', rest = ''] = NAMED.exec(text.trim()) ?? [];
      const [, , key = ''] = KEY.exec(` ${rest}`) ?? [];
      if (key === '' || plain.startsWith('#')) return [];
      // An option without a value gets the empty string.
      const words = rest
        .slice(0, rest.search(/(?:sk-)?(?:ssh|ecdsa)-/))
        .matchAll(/([a-z-]+)(?:="([^"]*)")?/gi);
      const options = new Map([...words].map(([, name = '', value = '']) => [name.toLowerCase(), value]));
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

/** Reads `20261220`, `20261220Z`, `202612201530Z` or `20261220153000Z`. All are UTC, because `svc` runs `ssh-keygen` with UTC. */
function timeMs(text: string | undefined): number | null {
  const [, year, month, day, hour = '00', minute = '00', second = '00'] =
    /^(\d{4})(\d{2})(\d{2})(?:(\d{2})(\d{2})(\d{2})?)?Z?$/.exec(text ?? '') ?? [];
  if (year === undefined) return null;
  const ms = Date.parse(`${year}-${month ?? ''}-${day ?? ''}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(ms) ? null : ms;
}
