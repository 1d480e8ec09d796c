/** Lines of a list of signers that `ssh-keygen` passes over when it verifies, and says nothing of that: it is asked about a key that no list has, and so it reads them all. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { markLength, utf8In } from '../../contract/json.js';
import { onDisk } from '../../runtime/folders.js';
import { Failure } from '../../runtime/failure.js';
import { runKeygen } from '../../runtime/ssh-keygen.js';

export interface PassedOver {
  /** From 1. */
  readonly line: number;
  /** A sentence; it may hold what the line holds. */
  readonly why: string;
}

/**
 * In their order; lines that are empty or comments are none.
 * @param keygen where `ssh-keygen` is: `requireKeygen`
 * @param random 32 bytes
 * @throws Failure `local_state` where `ssh-keygen` does not end
 */
export async function linesPassedOver(
  list: Uint8Array,
  { keygen, folder, random }: { keygen: string; folder: string; random: Uint8Array },
): Promise<PassedOver[]> {
  const [signers, signature] = [join(folder, 'listed'), join(folder, 'listed.sig')];
  onDisk('written', folder, () => {
    writeFileSync(signers, list, { mode: 0o600 });
    writeFileSync(signature, armored(random), { mode: 0o600 });
  });
  const { exitCode, errors } = await runKeygen(keygen, [
    '-Y',
    'find-principals',
    '-f',
    signers,
    '-s',
    signature,
  ]);
  const lines = utf8In(list).split('\n');
  const told = errors.split(/\r?\n/).flatMap((text): PassedOver[] => {
    const [, number, why] = text.startsWith(`${signers}:`)
      ? (/^([0-9]+): (.*)$/.exec(text.slice(signers.length + 1)) ?? [])
      : [];
    const line = Number(number);
    return why === undefined || lines[line - 1]?.trim() === '' ? [] : [{ line, why: `${why.trim()}.` }];
  });
  if (exitCode === null && told.length === 0) {
    throw new Failure('local_state', 'The ssh-keygen of this machine did not end. Nothing was changed.', {
      code: 'keygen_missing',
    });
  }
  // Of these it says nothing: they become a part of a name.
  if (markLength(list) > 0) told.unshift({ line: 1, why: 'a byte order mark stands before the first name.' });
  return told;
}

/** A signature of nothing by that key: whether it is good is not asked. */
function armored(random: Uint8Array): string {
  const part = (bytes: Uint8Array | string): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(Buffer.byteLength(bytes));
    return Buffer.concat([length, Buffer.from(bytes as string)]);
  };
  const key = Buffer.concat([part('ssh-ed25519'), part(random)]);
  const made = Buffer.concat([part('ssh-ed25519'), part(new Uint8Array(64))]);
  const version = Buffer.from([0, 0, 0, 1]);
  const parts = [part(key), part('svc-probe'), part(''), part('sha512'), part(made)];
  const blob = Buffer.concat([Buffer.from('SSHSIG'), version, ...parts]).toString('base64');
  return `-----BEGIN SSH SIGNATURE-----\n${blob.replace(/(.{70})/g, '$1\n').trimEnd()}\n-----END SSH SIGNATURE-----\n`;
}
