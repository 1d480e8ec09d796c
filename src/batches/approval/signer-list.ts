/** Parses a list of signers for display only, because `ssh-keygen` alone decides whether a key may sign. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { byteOrderMarkLength, decodeUtf8 } from '../../contract/json.js';
import { NAMESPACES, ROLES, type SignerRole, wireString } from './signature.js';
import { onDisk } from '../../runtime/folders.js';
import { Failure } from '../../runtime/failure.js';
import { runKeygen } from '../../runtime/ssh-keygen.js';

interface SignerLine {
  readonly number: number;
  readonly names: string;
  readonly roles: readonly SignerRole[];
  readonly isAuthority: boolean;
  readonly validBeforeMs: number | null;
  readonly validAfterMs: number | null;
  readonly key: string;
}

const NAMES_AND_REST = /^\s*(?:"([^"]*)"|(\S+))\s+(.*)$/;
const PUBLIC_KEY = /(?:^|\s)((?:sk-)?(?:ssh|ecdsa)-[\w@.-]+)\s+([A-Za-z0-9+/]+=*)(?:\s|$)/;

export function signerLines(list: Uint8Array): SignerLine[] {
  return decodeUtf8(list)
    .split('\n')
    .flatMap((text, at): SignerLine[] => {
      const [, quoted, plain = '', rest = ''] = NAMES_AND_REST.exec(text.trim()) ?? [];
      const [, , key = ''] = PUBLIC_KEY.exec(` ${rest}`) ?? [];
      if (key === '' || plain.startsWith('#')) return [];
      const matches = rest
        .slice(0, rest.search(/(?:sk-)?(?:ssh|ecdsa)-/))
        .matchAll(/([a-z-]+)(?:="([^"]*)")?/gi);
      const options = new Map([...matches].map(([, name = '', value = '']) => [name.toLowerCase(), value]));
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

/** Reads every time as UTC, because svc runs `ssh-keygen` with UTC. */
function timeMs(text: string | undefined): number | null {
  const [, year, month, day, hour = '00', minute = '00', second = '00'] =
    /^(\d{4})(\d{2})(\d{2})(?:(\d{2})(\d{2})(\d{2})?)?Z?$/.exec(text ?? '') ?? [];
  if (year === undefined) return null;
  const ms = Date.parse(`${year}-${month ?? ''}-${day ?? ''}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(ms) ? null : ms;
}

/** Searches for a random key: `ssh-keygen` names the skipped lines only when it finds no match. */
export async function skippedSignerLines(
  list: Uint8Array,
  { keygen, folder, random }: { keygen: string; folder: string; random: Uint8Array },
): Promise<{ line: number; why: string }[]> {
  const [signersPath, signaturePath] = [join(folder, 'listed'), join(folder, 'listed.sig')];
  onDisk('written', folder, () => {
    writeFileSync(signersPath, list, { mode: 0o600 });
    writeFileSync(signaturePath, invalidSignature(random), { mode: 0o600 });
  });
  const args = ['-Y', 'find-principals', '-f', signersPath, '-s', signaturePath];
  const { exitCode, errors } = await runKeygen(keygen, args);
  const lines = decodeUtf8(list).split('\n');
  const skippedLines = errors.split(/\r?\n/).flatMap((text) => {
    const [, number, why] = text.startsWith(`${signersPath}:`)
      ? (/^([0-9]+): (.*)$/.exec(text.slice(signersPath.length + 1)) ?? [])
      : [];
    const line = Number(number);
    return why === undefined || lines[line - 1]?.trim() === '' ? [] : [{ line, why: `${why.trim()}.` }];
  });
  if (exitCode === null && skippedLines.length === 0)
    throw new Failure('local_state', 'The ssh-keygen of this machine did not end. Nothing was changed.', {
      code: 'keygen_missing',
    });
  if (byteOrderMarkLength(list) > 0)
    skippedLines.unshift({ line: 1, why: 'a byte order mark stands before the first name.' });
  return skippedLines;
}

function invalidSignature(random: Uint8Array): string {
  const key = Buffer.concat(['ssh-ed25519', random].map(wireString));
  const signature = Buffer.concat(['ssh-ed25519', new Uint8Array(64)].map(wireString));
  const version = Buffer.from([0, 0, 0, 1]);
  const parts = [key, 'svc-probe', '', 'sha512', signature].map(wireString);
  const blob = Buffer.concat([Buffer.from('SSHSIG'), version, ...parts]).toString('base64');
  return `-----BEGIN SSH SIGNATURE-----\n${blob.replace(/(.{70})/g, '$1\n').trimEnd()}\n-----END SSH SIGNATURE-----\n`;
}
