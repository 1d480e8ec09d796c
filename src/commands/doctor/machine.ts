/**
 * What this machine has to do with it: the runtime, the proxy, who may read what svc wrote; and where requests would go, with where each
 * setting came from.
 */
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readProxy } from '../../cli/session/connection.js';
import { readSettings } from '../../profile/settings-file.js';
import { profileOf } from '../../profile/settings.js';
import type { Target } from '../../profile/target.js';
import { currentUser, shellPath } from '../../runtime/disk.js';
import { Failure } from '../../runtime/failure.js';
import type { Ports } from '../../runtime/ports.js';
import { NODE_VERSION, VERSION } from '../../runtime/version.js';
import { error, type Checked, ok, warning } from './checked.js';

/** More files than svc ever has: a folder that is somebody else's is not walked to its end. */
const MAX_FILES = 1000;
const SHARED = 0o077;
/** What Node keeps in there has the modes that Node gives it; the folder itself keeps others out. */
const COMPILED = /^compiled[/\\]/;

export function checkMachine({ env, paths }: Pick<Ports, 'env' | 'paths'>): Checked[] {
  return [
    ok('node', `Node ${NODE_VERSION}`),
    ok('version', `svc ${VERSION}`),
    checkProxy(env),
    ...checkFiles([...new Set(Object.values(paths) as string[])]),
  ];
}

/** Only its host is shown: a proxy's address may hold a password. */
function checkProxy(env: Ports['env']): Checked {
  try {
    const proxy = readProxy(env);
    if (proxy === null) return ok('proxy', 'none');
    const { https, except } = proxy;
    return ok('proxy', `${new URL(https).host}${except === '' ? '' : `, except ${except}`}`);
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure;
    return warning('proxy', failure.message, 'unset HTTPS_PROXY https_proxy');
  }
}

function checkFiles(folders: readonly string[]): Checked[] {
  const open = folders.flatMap((folder) => sharedIn(folder));
  if (open.length === 0) return [ok('files', 'Only you can read what svc wrote.')];
  const commands = open.map(({ path, mode }) => `chmod ${mode} ${shellPath(path)}`);
  const named = open.map(({ path }) => path).join(', ');
  return [error('files', 'local_state', `Others may read or change ${named}.`, commands.join(' && '))];
}

/** Everything below a folder that group or others have a right to, or that is somebody else's. */
function sharedIn(folder: string): { path: string; mode: string }[] {
  try {
    const all = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const names = all.filter((name) => !COMPILED.test(name)).slice(0, MAX_FILES);
    return [folder, ...names.map((name) => join(folder, name))].flatMap((path) => {
      const stats = lstatSync(path);
      const isOpen = (stats.mode & SHARED) !== 0 || stats.uid !== currentUser();
      return isOpen && !stats.isSymbolicLink() ? [{ path, mode: stats.isDirectory() ? '700' : '600' }] : [];
    });
  } catch {
    // A folder that is not there holds nothing.
    return [];
  }
}

export function checkTarget(target: Target, ports: Ports): Checked[] {
  const { environment, profile, baseUrl, key } = target.provenance;
  return [
    ok('profile', profile === null ? 'none' : `${profile.value} (${profile.name})`),
    ok('environment', `${environment.value} (${environment.name})`),
    ok('address', baseUrl === null ? 'the embedded sandbox' : `${baseUrl.value} (${baseUrl.name})`),
    key === null ? ok('key', 'not needed') : ok('key', `${key.value} (${key.name})`),
    ...(profile === null ? [] : [checkStorage(profile.value, target, ports)]),
    ...(target.kind === 'service' ? target.notes.map((note) => warning('settings', note)) : []),
  ];
}

function checkStorage(name: string, { environment }: Target, { paths }: Ports): Checked {
  const stored = profileOf(readSettings(paths), name)?.keys[environment]?.stored;
  if (stored === undefined) return ok('key storage', 'the key does not come from the profile');
  if (stored === 'keystore') return ok('key storage', "the system's key store");
  const text = 'a file that only you can read (0600)';
  if (environment === 'sandbox') return ok('key storage', text);
  // Stored again here it would be refused: whether there is a key store is what nobody but the person can change.
  return warning(
    'key storage',
    `The live key is in ${text}. When this machine has a key store, "svc profiles set-key ${name}" moves it there.`,
  );
}
