/** The folders svc keeps its files in: nobody but the user may look inside. */
import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { currentUser, onDisk, refusal } from './disk.js';

const FOLDER_MODE = 0o700;
const PERMISSIONS = 0o7777;
const STICKY = 0o1000;

/**
 * Makes a folder of ours, and the missing ones above it, with mode 0700; one that is there is tightened to that.
 * @throws Failure `local_state` where it is no folder, a link (which somebody else may have put where others can write too),
 * somebody else's, or shared by design (sticky, like /tmp)
 */
export function ensurePrivateFolder(path: string, userId = currentUser()): void {
  onDisk('written', path, () => {
    refuseLink(path);
    const first = fs.mkdirSync(path, { recursive: true, mode: FOLDER_MODE });
    if (first !== undefined) syncNames(first, path);
    const { uid, mode } = fs.lstatSync(path);
    if (uid !== userId) throw refusal(`The folder ${path} belongs to another user.`, 'Set HOME to your own.');
    if ((mode & STICKY) !== 0)
      throw refusal(`The folder ${path} is shared by everybody.`, 'Use one of your own.');
    if ((mode & PERMISSIONS) !== FOLDER_MODE) fs.chmodSync(path, FOLDER_MODE);
  });
}

/** What follows here looks at the folder itself, never at what a link names. */
function refuseLink(path: string): void {
  if (fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true)
    throw refusal(
      `The folder ${path} is a link.`,
      'Links are not followed: set HOME, or the XDG variables, to the folder itself.',
    );
}

/** Makes the names of folders that were just made durable, from the first to the last, each inside the one before. */
function syncNames(first: string, last: string): void {
  for (let path = last; path.length >= first.length; path = dirname(path)) syncFolder(dirname(path));
}

/** Makes the names in a folder durable: what was created or renamed there survives a power cut. */
export function syncFolder(path: string): void {
  const folder = fs.openSync(path, 'r');
  try {
    fs.fsyncSync(folder);
  } finally {
    fs.closeSync(folder);
  }
}
