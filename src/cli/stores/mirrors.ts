/** The mirrors of this machine as commands reach them: one file in the state folder. */
import { join } from 'node:path';
import type { Mirrors } from '../../mirror/mirror.js';
import { ensurePrivateFolder } from '../../runtime/folders.js';
import type { Ports } from '../../runtime/ports.js';

/** Those of every company. @throws DatabaseUnusable, Failure `local_state` */
export async function openAllMirrors({ paths, random }: Pick<Ports, 'paths' | 'random'>): Promise<Mirrors> {
  ensurePrivateFolder(paths.state);
  const { openMirrors } = await import('../../mirror/store/sqlite-mirrors.js');
  return openMirrors(join(paths.state, 'feed.db'), random);
}
