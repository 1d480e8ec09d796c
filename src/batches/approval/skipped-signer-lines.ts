/** Finds the lines that `ssh-keygen` skips in a list of signers. `ssh-keygen` names them only if it is asked for a key that is not listed. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { byteOrderMarkLength, decodeUtf8 } from '../../contract/json.js';
import { wireString } from './signature.js';
import { onDisk } from '../../runtime/folders.js';
import { Failure } from '../../runtime/failure.js';
import { runKeygen } from '../../runtime/ssh-keygen.js';

/** Leaves out empty lines and comments. `why` may quote the line. @param random 32 bytes */
export async function skippedSignerLines(
  list: Uint8Array,
  { keygen, folder, random }: { keygen: string; folder: string; random: Uint8Array },
): Promise<{ line: number; why: string }[]> {
  const [signers, signature] = [join(folder, 'listed'), join(folder, 'listed.sig')];
  onDisk('written', folder, () => {
    writeFileSync(signers, list, { mode: 0o600 });
    writeFileSync(signature, invalidSignature(random), { mode: 0o600 });
  });
  const args = ['-Y', 'find-principals', '-f', signers, '-s', signature];
  const { exitCode, errors } = await runKeygen(keygen, args);
  const lines = decodeUtf8(list).split('\n');
  const skipped = errors.split(/\r?\n/).flatMap((text) => {
    const [, number, why] = text.startsWith(`${signers}:`)
      ? (/^([0-9]+): (.*)$/.exec(text.slice(signers.length + 1)) ?? [])
      : [];
    const line = Number(number);
    return why === undefined || lines[line - 1]?.trim() === '' ? [] : [{ line, why: `${why.trim()}.` }];
  });
  if (exitCode === null && skipped.length === 0) {
    throw new Failure('local_state', 'The ssh-keygen of this machine did not end. Nothing was changed.', {
      code: 'keygen_missing',
    });
  }
  // ssh-keygen takes a byte order mark for a part of the first name.
  if (byteOrderMarkLength(list) > 0)
    skipped.unshift({ line: 1, why: 'a byte order mark stands before the first name.' });
  return skipped;
}

/** The signature is invalid, but `find-principals` does not check it. */
function invalidSignature(random: Uint8Array): string {
  const key = Buffer.concat(['ssh-ed25519', random].map(wireString));
  const signature = Buffer.concat(['ssh-ed25519', new Uint8Array(64)].map(wireString));
  const version = Buffer.from([0, 0, 0, 1]);
  const parts = [key, 'svc-probe', '', 'sha512', signature].map(wireString);
  const blob = Buffer.concat([Buffer.from('SSHSIG'), version, ...parts]).toString('base64');
  return `-----BEGIN SSH SIGNATURE-----\n${blob.replace(/(.{70})/g, '$1\n').trimEnd()}\n-----END SSH SIGNATURE-----\n`;
}
