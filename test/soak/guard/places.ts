/** Where a policy may stand, and what each place comes to for a user without rights: `/etc/svc` is made anew for each, by root. */
import { NOBODY } from '../../support/own-mounts.js';

export interface Place {
  readonly name: string;
  /** Lines of `sh` in an empty `/etc/svc`. */
  readonly make: string;
  /** The code with which a create is refused; null where it leaves. */
  readonly refused: string | null;
  /** The same for root, where it is something else. */
  readonly forRoot?: string | null;
}

const ALL = '{"version":1,"payouts":{"allow":"all"}}';
const put = (content: string): string => `printf '%b' '${content}' > policy.json; chmod 644 policy.json`;
const [UNTRUSTED, UNREADABLE] = ['policy_untrusted', 'policy_unreadable'];

/** Puts it there, and then does that. */
const place = (name: string, refused: string | null, ...lines: readonly string[]): Place => ({
  ...{ name, refused, make: lines.join('; ') },
});
/** For a user without rights alone: root believes it. */
const forUser = (name: string, refused: string, ...lines: readonly string[]): Place => ({
  ...place(name, refused, ...lines),
  forRoot: null,
});
const payouts = (members: string, version = 1) => `{"version":${String(version)},"payouts":{${members}}}`;
const ALLOW = '"allow":"all"';
const own = (path: string): string => `chown ${String(NOBODY)}:${String(NOBODY)} ${path}`;
const group = (path: string): string => `chgrp ${String(NOBODY)} ${path}`;
const ownLink = `chown -h ${String(NOBODY)} policy.json`;
const write = (path: string): string => `printf '${ALL}' > ${path}`;
const MINE = '/mnt/mine.json';
const large = `{ printf '${ALL}'; head -c 262144 /dev/zero | tr '\\0' ' '; } > policy.json`;

export const PLACES: readonly Place[] = [
  place('no folder', null, 'cd /', 'rmdir /etc/svc'),
  place('an empty folder of root', null, ''),
  place('a policy that allows all', null, put(ALL)),
  place('a policy that allows reads', 'policy_refused', put('{"version":1}')),
  place(
    'as Kubernetes mounts it: links, and mode 0777 on a read-only file system',
    'policy_refused',
    ...['mount -t tmpfs -o mode=777 tmpfs /etc/svc', 'cd /etc/svc', 'mkdir ..2026'],
    ...[`printf '{"version":1}' > ..2026/policy.json`, 'chmod 666 ..2026/policy.json', 'ln -s ..2026 ..data'],
    ...['ln -s ..data/policy.json policy.json', 'mount -o remount,ro /etc/svc'],
  ),
  place('empty', UNREADABLE, put('')),
  place('a member that nobody knows', UNREADABLE, put(payouts(`${ALLOW},"operations_max":"5.00"`))),
  place('a member twice', UNREADABLE, put(payouts(`"allow":"read",${ALLOW}`))),
  place('a member twice, by an escape', UNREADABLE, put(payouts('"allow":"read","\\\\u0061llow":"all"'))),
  place('of a newer version', 'policy_newer', put(payouts(ALLOW, 2))),
  place('of an older version', UNREADABLE, put(payouts(ALLOW, 0))),
  place('with a byte order mark', UNREADABLE, put(`\\0357\\0273\\0277${ALL}`)),
  place('null', UNREADABLE, put('null')),
  place('a list', UNREADABLE, put('[]')),
  place('cut in the middle', UNREADABLE, put('{"version":1,"payouts":{"al')),
  place('more than 256 KiB', UNREADABLE, large),
  forUser('writable by all', UNTRUSTED, put(ALL), 'chmod 666 policy.json'),
  forUser('writable by its group', UNTRUSTED, put(ALL), group('policy.json'), 'chmod 664 policy.json'),
  place('of the user', UNTRUSTED, put(ALL), own('policy.json'), 'chmod 444 policy.json'),
  place('in a folder of the user', UNTRUSTED, put(ALL), own('.')),
  place('in a closed folder of the user', UNTRUSTED, put(ALL), own('.'), 'chmod 555 .'),
  forUser('in a folder that all may write', UNTRUSTED, put(ALL), 'chmod 777 .'),
  forUser('in a folder like /tmp', UNTRUSTED, put(ALL), 'chmod 1777 .'),
  place('a link to a file of the user', UNTRUSTED, write(MINE), own(MINE), `ln -s ${MINE} policy.json`),
  place('a link of the user', UNTRUSTED, write('real.json'), 'ln -s real.json policy.json', ownLink),
  place(
    'the whole folder a link to one of the user',
    UNTRUSTED,
    ...['cd /', 'rmdir /etc/svc', 'mkdir -p /mnt/mine', `printf '${ALL}' > /mnt/mine/policy.json`],
    ...[own('/mnt/mine'), 'ln -s /mnt/mine /etc/svc'],
  ),
  place('a pipe', UNTRUSTED, 'mkfifo policy.json', 'chmod 644 policy.json'),
  place('a folder', UNTRUSTED, 'mkdir policy.json'),
  place('a link in a circle', UNTRUSTED, 'ln -s b policy.json', 'ln -s policy.json b'),
  place('a link that leads nowhere', UNREADABLE, 'ln -s nowhere policy.json'),
  forUser('not to be read by the user', UNREADABLE, put(ALL), 'chmod 600 policy.json'),
  place('taken away, in a folder of the user', UNTRUSTED, own('.')),
  forUser('taken away, in a folder that all may write', UNTRUSTED, 'chmod 777 .'),
];
