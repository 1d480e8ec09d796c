import { readFileSync, writeFileSync, chmodSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { readTrusted } from '../../src/runtime/trusted-file.js';
import { AS_NOBODY, HAS_OWN_MOUNTS, inOwnMounts, NOBODY } from '../support/own-mounts.js';
import { bundle } from '../sandbox/store/program.js';
import { testFolder } from '../support/test-folder.js';

const MAX = 1024;

const SETUP = `
mkdir -p /mnt/etc /mnt/user && cd /mnt/etc && chown ${NOBODY}:${NOBODY} /mnt/user
put() { mkdir -p $1; printf %s "$1" > $1/policy.json; chmod 644 $1/policy.json; }
put good
put world; chmod 666 world/policy.json
put group; chgrp ${NOBODY} group/policy.json; chmod 664 group/policy.json
put supplementary; chgrp 4242 supplementary/policy.json; chmod 664 supplementary/policy.json
put mine; chown ${NOBODY} mine/policy.json; chmod 444 mine/policy.json
put folder-mine; chown ${NOBODY} folder-mine
put folder-mine-closed; chown ${NOBODY} folder-mine-closed; chmod 555 folder-mine-closed
put folder-world; chmod 777 folder-world
put folder-sticky; chmod 1777 folder-sticky
put folder-group; chgrp 4242 folder-group; chmod 775 folder-group
mkdir -p above/inner; printf x > above/inner/policy.json; chmod 777 above
mkdir link; printf x > /mnt/user/policy.json; chown ${NOBODY} /mnt/user/policy.json; ln -s /mnt/user/policy.json link/policy.json
mkdir link-of-mine; ln -s ../good/policy.json link-of-mine/policy.json; chown -h ${NOBODY} link-of-mine/policy.json
mkdir link-through-mine; ln -s /mnt/etc/good /mnt/user/through; ln -s /mnt/user/through/policy.json link-through-mine/policy.json
mkdir -p k8s/..2026; printf %s k8s > k8s/..2026/policy.json; ln -s ..2026 k8s/..data; ln -s ..data/policy.json k8s/policy.json
ln -s good linked-folder
mkdir loop; ln -s b loop/policy.json; ln -s policy.json loop/b
mkdir dangling; ln -s nowhere/policy.json dangling/policy.json
ln -s nowhere dangling-folder
mkdir pipe; mkfifo pipe/policy.json; chmod 644 pipe/policy.json
mkdir -p folder/policy.json
mkdir device; mknod device/policy.json c 1 5; chmod 644 device/policy.json
mkdir secret; printf x > secret/policy.json; chmod 600 secret/policy.json
put shut; chmod 700 shut
mkdir big; head -c ${MAX + 1} /dev/zero > big/policy.json
mkdir fits; head -c ${MAX} /dev/zero > fits/policy.json
mkdir empty; : > empty/policy.json
mkdir none
mkdir none-mine; chown ${NOBODY} none-mine
mkdir none-mine-closed; chown ${NOBODY} none-mine-closed; chmod 555 none-mine-closed
mkdir none-world; chmod 777 none-world
printf x > file-as-folder
mkdir read-only; mount -t tmpfs -o mode=777 tmpfs read-only; printf %s read-only > read-only/policy.json; chmod 666 read-only/policy.json; mount -o remount,ro read-only
`;

const CASES: Readonly<Record<string, readonly [nobody: string, root?: string]>> = {
  good: ['bytes good, binds', 'bytes good'],
  world: ['untrusted: world/policy.json can be changed by the user who runs svc.', 'bytes world'],
  group: ['untrusted: group/policy.json can be changed by the user who runs svc.', 'bytes group'],
  supplementary: ['bytes supplementary, binds', 'bytes supplementary'],
  mine: ['untrusted: mine/policy.json does not belong to root.'],
  'folder-mine': ['untrusted: folder-mine does not belong to root.'],
  'folder-mine-closed': ['untrusted: folder-mine-closed does not belong to root.'],
  'folder-world': ['untrusted: folder-world can be changed by the user who runs svc.', 'bytes folder-world'],
  'folder-sticky': [
    'untrusted: folder-sticky can be changed by the user who runs svc.',
    'bytes folder-sticky',
  ],
  'folder-group': ['bytes folder-group, binds', 'bytes folder-group'],
  'above/inner': ['untrusted: above can be changed by the user who runs svc.', 'bytes x'],
  link: ['untrusted: /mnt/user does not belong to root.'],
  'link-of-mine': ['untrusted: link-of-mine/policy.json does not belong to root.'],
  'link-through-mine': ['untrusted: /mnt/user does not belong to root.'],
  ...{ k8s: ['bytes k8s, binds', 'bytes k8s'], 'linked-folder': ['bytes good, binds', 'bytes good'] },
  loop: ['untrusted: loop/policy.json has too many links on its way.'],
  dangling: [
    'unreadable: dangling/policy.json is a link that leads to dangling/nowhere, which is not there.',
  ],
  'dangling-folder': [
    'unreadable: dangling-folder/policy.json is a link that leads to nowhere, which is not there.',
  ],
  pipe: ['untrusted: pipe/policy.json is not a regular file.'],
  folder: ['untrusted: folder/policy.json is not a regular file.'],
  device: ['untrusted: device/policy.json is not a regular file.'],
  secret: ["unreadable: secret/policy.json can't be read (EACCES).", 'bytes x'],
  shut: ["unreadable: shut/policy.json can't be read (EACCES).", 'bytes shut'],
  big: ['unreadable: big/policy.json is larger than 1 KiB.'],
  fits: [`bytes of ${String(MAX)}, binds`, `bytes of ${String(MAX)}`],
  ...{ empty: ['bytes , binds', 'bytes '], none: ['absent'] },
  'none-mine': [
    'untrusted: none-mine/policy.json is not there, and anybody may have taken it away: none-mine does not belong to root.',
  ],
  'none-mine-closed': [
    'untrusted: none-mine-closed/policy.json is not there, and anybody may have taken it away: none-mine-closed does not belong to root.',
  ],
  'none-world': [
    'untrusted: none-world/policy.json is not there, and anybody may have taken it away: none-world can be changed by the user who runs svc.',
    'absent',
  ],
  ...{ 'no-folder': ['absent'], 'no-folder/below': ['absent'] },
  'file-as-folder': ["unreadable: file-as-folder/policy.json can't be read (ENOTDIR)."],
  'read-only': ['bytes read-only, binds', 'bytes read-only'],
};

const PROGRAM = `
import { readTrusted } from './src/runtime/trusted-file.ts';
const cases = ${JSON.stringify(Object.keys(CASES))};
const lineOf = (found) => {
  if (found.kind === 'absent') return 'absent';
  if (found.kind !== 'bytes') return found.kind + ': ' + found.why.replaceAll('/mnt/etc/', '');
  const text = Buffer.from(found.bytes).toString();
  return 'bytes ' + (text.startsWith('\\0') ? 'of ' + text.length : text) + (found.binds ? ', binds' : '');
};
const all = cases.map((name) => [name, lineOf(readTrusted('/mnt/etc/' + name + '/policy.json', { maxBytes: ${String(MAX)} }))]);
console.log(JSON.stringify(Object.fromEntries(all)));
`;

const folder = testFolder();
beforeAll(async () => {
  chmodSync(folder, 0o755);
  chmodSync(await bundle(folder, PROGRAM, ''), 0o644);
});

async function told(as: string): Promise<unknown> {
  const line = `exec ${as} ${process.execPath} ${join(folder, 'program.mjs')}`;
  const { stdout, stderr, exitCode } = await inOwnMounts(SETUP + line);
  expect([stderr, exitCode]).toEqual(['', 0]);
  return JSON.parse(stdout);
}

describe.skipIf(!HAS_OWN_MOUNTS)('in a mount namespace (needs root on Linux)', () => {
  it('believes what a user without rights can have made of nothing', async () => {
    expect(await told(AS_NOBODY)).toEqual(
      Object.fromEntries(Object.entries(CASES).map(([name, [nobody]]) => [name, nobody])),
    );
  });

  it('believes root what is of root, and says that it binds nobody', async () => {
    expect(await told('')).toEqual(
      Object.fromEntries(Object.entries(CASES).map(([name, [nobody, root]]) => [name, root ?? nobody])),
    );
  });

  it('asks the kernel about groups, not the mode alone', async () => {
    const found = await told(`setpriv --reuid=${NOBODY} --regid=${NOBODY} --groups=4242`);
    expect(found).toMatchObject({
      supplementary: 'untrusted: supplementary/policy.json can be changed by the user who runs svc.',
      'folder-group': 'untrusted: folder-group can be changed by the user who runs svc.',
    });
  });
});

it('is absent where nothing is, for anybody', () => {
  expect(readTrusted('/no-such-folder/svc/policy.json', { maxBytes: MAX })).toEqual({ kind: 'absent' });
});

it('reads no file of a user', () => {
  if (process.getuid?.() === 0) return;
  const mine = join(folder, 'policy.json');
  writeFileSync(mine, 'x');
  expect(readTrusted(mine, { maxBytes: MAX }).kind).toBe('untrusted');
  expect(readFileSync(mine, 'utf8')).toBe('x');
});
