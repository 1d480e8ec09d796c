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
const put = (content: string, more = ''): string =>
  `printf '%b' '${content}' > policy.json; chmod 644 policy.json; ${more}`;
const mine = `chown ${String(NOBODY)}:${String(NOBODY)}`;
const [UNTRUSTED, UNREADABLE] = ['policy_untrusted', 'policy_unreadable'];

export const PLACES: readonly Place[] = [
  { name: 'no folder', make: 'cd /; rmdir /etc/svc', refused: null },
  { name: 'an empty folder of root', make: '', refused: null },
  { name: 'a policy that allows all', make: put(ALL), refused: null },
  { name: 'a policy that allows reads', make: put('{"version":1}'), refused: 'policy_refused' },
  {
    name: 'as Kubernetes mounts it: links, and mode 0777 on a read-only file system',
    make: `mount -t tmpfs -o mode=777 tmpfs /etc/svc; cd /etc/svc; mkdir ..2026; printf '{"version":1}' > ..2026/policy.json; chmod 666 ..2026/policy.json; ln -s ..2026 ..data; ln -s ..data/policy.json policy.json; mount -o remount,ro /etc/svc`,
    refused: 'policy_refused',
  },
  { name: 'empty', make: put(''), refused: UNREADABLE },
  {
    name: 'a member that nobody knows',
    make: put('{"version":1,"payouts":{"allow":"all","operations_max":"5.00"}}'),
    refused: UNREADABLE,
  },
  {
    name: 'a member twice',
    make: put('{"version":1,"payouts":{"allow":"read","allow":"all"}}'),
    refused: UNREADABLE,
  },
  {
    name: 'a member twice, by an escape',
    make: put('{"version":1,"payouts":{"allow":"read","\\\\u0061llow":"all"}}'),
    refused: UNREADABLE,
  },
  {
    name: 'of a newer version',
    make: put('{"version":2,"payouts":{"allow":"all"}}'),
    refused: 'policy_newer',
  },
  { name: 'of an older version', make: put('{"version":0,"payouts":{"allow":"all"}}'), refused: UNREADABLE },
  {
    name: 'with a byte order mark',
    make: put('\\0357\\0273\\0277{"version":1,"payouts":{"allow":"all"}}'),
    refused: UNREADABLE,
  },
  { name: 'null', make: put('null'), refused: UNREADABLE },
  { name: 'a list', make: put('[]'), refused: UNREADABLE },
  { name: 'cut in the middle', make: put('{"version":1,"payouts":{"al'), refused: UNREADABLE },
  {
    name: 'more than 256 KiB',
    make: `{ printf '${ALL}'; head -c 262144 /dev/zero | tr '\\0' ' '; } > policy.json`,
    refused: UNREADABLE,
  },
  { name: 'writable by all', make: put(ALL, 'chmod 666 policy.json'), refused: UNTRUSTED, forRoot: null },
  {
    name: 'writable by its group',
    make: put(ALL, `chgrp ${String(NOBODY)} policy.json; chmod 664 policy.json`),
    refused: UNTRUSTED,
    forRoot: null,
  },
  { name: 'of the user', make: put(ALL, `${mine} policy.json; chmod 444 policy.json`), refused: UNTRUSTED },
  { name: 'in a folder of the user', make: put(ALL, `${mine} .`), refused: UNTRUSTED },
  { name: 'in a closed folder of the user', make: put(ALL, `${mine} .; chmod 555 .`), refused: UNTRUSTED },
  {
    name: 'in a folder that all may write',
    make: put(ALL, 'chmod 777 .'),
    refused: UNTRUSTED,
    forRoot: null,
  },
  { name: 'in a folder like /tmp', make: put(ALL, 'chmod 1777 .'), refused: UNTRUSTED, forRoot: null },
  {
    name: 'a link to a file of the user',
    make: `printf '${ALL}' > /mnt/mine.json; ${mine} /mnt/mine.json; ln -s /mnt/mine.json policy.json`,
    refused: UNTRUSTED,
  },
  {
    name: 'a link of the user',
    make: `printf '${ALL}' > real.json; ln -s real.json policy.json; chown -h ${String(NOBODY)} policy.json`,
    refused: UNTRUSTED,
  },
  {
    name: 'the whole folder a link to one of the user',
    make: `cd /; rmdir /etc/svc; mkdir -p /mnt/mine; printf '${ALL}' > /mnt/mine/policy.json; ${mine} /mnt/mine; ln -s /mnt/mine /etc/svc`,
    refused: UNTRUSTED,
  },
  { name: 'a pipe', make: 'mkfifo policy.json; chmod 644 policy.json', refused: UNTRUSTED },
  { name: 'a folder', make: 'mkdir policy.json', refused: UNTRUSTED },
  { name: 'a link in a circle', make: 'ln -s b policy.json; ln -s policy.json b', refused: UNTRUSTED },
  { name: 'a link that leads nowhere', make: 'ln -s nowhere policy.json', refused: UNREADABLE },
  {
    name: 'not to be read by the user',
    make: put(ALL, 'chmod 600 policy.json'),
    refused: UNREADABLE,
    forRoot: null,
  },
  { name: 'taken away, in a folder of the user', make: `${mine} .`, refused: UNTRUSTED },
  {
    name: 'taken away, in a folder that all may write',
    make: 'chmod 777 .',
    refused: UNTRUSTED,
    forRoot: null,
  },
];
