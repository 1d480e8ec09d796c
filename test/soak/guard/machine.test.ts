import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { HAS_OWN_MOUNTS, NOBODY } from '../../support/own-mounts.js';
import { recordFigures } from '../figures.js';
import { programOf } from '../requests/program.js';
import { createLine, type GuardedMachine, guardedMachine, READ_LINE } from './machines.js';
import { CARELESS, CREDULOUS, FORGETFUL } from './program.js';

interface Place {
  readonly name: string;
  readonly make: string;
  readonly refused: string | null;
  readonly forRoot?: string | null;
}

const ALL = '{"version":1,"payouts":{"allow":"all"}}';
const put = (content: string): string => `printf '%b' '${content}' > policy.json; chmod 644 policy.json`;
const [UNTRUSTED, UNREADABLE] = ['policy_untrusted', 'policy_unreadable'];

const place = (name: string, refused: string | null, ...lines: readonly string[]): Place => ({
  ...{ name, refused, make: lines.join('; ') },
});
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

const PLACES: readonly Place[] = [
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

const SOAK = process.env['SOAK'] !== undefined;
const SUITE = 'Attacks on the policy and the lock of a machine';
const SOME = new Set([
  ...['an empty folder of root', 'a policy that allows reads', 'a member twice', 'of the user'],
  'taken away, in a folder of the user',
]);
const TRIED = SOAK ? PLACES : PLACES.filter(({ name }) => SOME.has(name));
const LIMIT = { timeout: 600_000 };

const record = (run: string, attacks: number, wrong: number): void =>
  recordFigures({ suite: SUITE, run, counts: { attacks, 'sendings that nobody allowed': wrong } });

async function tryPlaces(machine: GuardedMachine, places: readonly Place[], as: 'nobody' | 'root') {
  const by = (line: string): string => (as === 'nobody' ? `as_nobody '${line}'` : line);
  const script = places.map(({ make }, at) =>
    [
      'cd /; while umount /etc/svc 2> /dev/null; do :; done; rm -rf /etc/svc /mnt/*; mkdir /etc/svc; cd /etc/svc',
      make,
      'cd /',
      `echo "create $(${by(createLine(`${as}-${String(at)}`))} 2>&1 | tail -1)"`,
      `echo "read $(${by(READ_LINE)} 2>&1 | tail -1)"`,
    ].join('\n'),
  );
  const { stdout, stderr } = await machine.run(`set +e\n${script.join('\n')}`);
  const said = stdout.trimEnd().split('\n');
  expect([said.length, stderr], stdout).toEqual([2 * places.length, '']);
  const wordOf = (line = ''): string => codeOf(line.replace(/^\w+ /, '')) ?? 'well';
  return places.map(({ name }, at) => [name, wordOf(said[2 * at]), wordOf(said[2 * at + 1])]);
}

const codeOf = (line: string) => (JSON.parse(line) as { error?: { code: string } }).error?.code;
const codesIn = (stdout: string) => stdout.trimEnd().split('\n').map(codeOf);

const paid = (machine: GuardedMachine): string[] =>
  machine.sendings().map(({ body }) => String((JSON.parse(body) as { reference?: string }).reference));

describe.skipIf(!HAS_OWN_MOUNTS)('a machine (needs root on Linux)', () => {
  let machine: GuardedMachine;
  beforeAll(async () => {
    machine = await guardedMachine();
  }, LIMIT.timeout);
  afterAll(() => machine.stop());

  it.each(['nobody', 'root'] as const)('goes by nothing but a policy of root: %s', LIMIT, async (as) => {
    const before = paid(machine).length;
    const ends = await tryPlaces(machine, TRIED, as);
    const refusedFor = (place: Place): string | null =>
      as === 'root' && place.forRoot !== undefined ? place.forRoot : place.refused;
    expect(ends).toEqual(TRIED.map((place) => [place.name, refusedFor(place) ?? 'well', 'well']));
    const all = TRIED.map((place, at) => [refusedFor(place), `${as}-${String(at)}`] as const);
    const expected: string[] = all.flatMap(([refused, name]) => (refused === null ? [name] : []));
    const arrived = paid(machine).slice(before);
    expect(arrived).toEqual(expected);
    const wrong = arrived.filter((one) => !expected.includes(one)).length;
    record(`policies, as ${as}`, TRIED.length, wrong);
  });

  it('looks for its policy nowhere else', LIMIT, async () => {
    const before = paid(machine).length;
    const all = '{"version":1,"payouts":{"allow":"all"}}';
    const paths = ['policy.json', '.config/svc/policy.json', 'etc/svc/policy.json', '.svc/policy.json'];
    const put = (path: string) => `mkdir -p "$(dirname "$HOME/${path}")"; printf %s "$ALL" > "$HOME/${path}"`;
    const elsewhere = paths.map(put);
    const names = 'SVC_POLICY SVC_POLICY_FILE SVC_CONFIG XDG_CONFIG_DIRS XDG_CONFIG_HOME SVC_ETC'.split(' ');
    const line = `cd "$HOME"; ${elsewhere.join('; ')}; ${names.map((name) => `export ${name}="$HOME"`).join('; ')}; ${createLine('elsewhere')}`;
    const { stdout, exitCode } = await machine.run(
      `mkdir /etc/svc; printf '{"version":1}' > /etc/svc/policy.json; export ALL='${all}'; as_nobody '${line.replaceAll("'", "'\\''")}'`,
    );
    expect([exitCode, stdout, paid(machine).slice(before)]).toEqual([13, '', []]);
  });

  it('never goes by half of a policy that is replaced while it is read', LIMIT, async () => {
    const before = paid(machine).length;
    const times = SOAK ? 25 : 2;
    const policyOf = (most: string, fill: number): string => {
      const payouts = { allow: 'all', currencies: { VES: { operation_max: most } } };
      return JSON.stringify({ version: 1, contact: 'x'.repeat(fill), payouts });
    };
    const script = `mkdir /etc/svc; cd /etc/svc
printf %s '${policyOf('1.00', 1)}' > one; printf %s '${policyOf('2.00', 200)}' > two; cp one policy.json
( while :; do cp one next; mv next policy.json; cp two next; mv next policy.json; done ) &
for time in $(seq ${String(times)}); do as_nobody '${createLine('race-$time', '5.00').replaceAll('$time', '\'"$time"\'')}' 2>&1 | tail -1; done
kill $!`;
    const { stdout } = await machine.run(`set +e\n${script}`);
    const codes = codesIn(stdout);
    expect(codes).toHaveLength(times);
    for (const code of codes) expect(['policy_refused', 'policy_unreadable']).toContain(code);
    expect(paid(machine).slice(before)).toEqual([]);
  });

  const BARE = 'env -i PATH="$PATH" HOME="$HOME" SVC_BASE_URL="$SVC_BASE_URL" SVC_API_KEY="$SVC_API_KEY"';
  const TWO_SHELLS = 'sh -c "unset SVC_LOCK; sh -c \\"unset SVC_LOCK';
  const LOCKED: readonly (readonly [name: string, before: string, line: (svc: string) => string])[] = [
    ['nothing', 'SVC_LOCK=sandbox', (svc) => svc],
    ['unset', 'SVC_LOCK=sandbox', (svc) => `unset SVC_LOCK; ${svc}`],
    ['env -u', 'SVC_LOCK=sandbox', (svc) => `env -u SVC_LOCK ${svc}`],
    ['env -i', 'SVC_LOCK=sandbox', (svc) => `${BARE} ${svc}`],
    ['set to less', 'SVC_LOCK=sandbox', (svc) => `SVC_LOCK=read-only ${svc}`],
    ['set to nothing', 'SVC_LOCK=sandbox', (svc) => `SVC_LOCK= ${svc}`],
    ['two shells', 'SVC_LOCK=sandbox', (svc) => `${TWO_SHELLS}; ${svc}; true\\"; true"`],
    ['another session', 'SVC_LOCK=sandbox', (svc) => `setsid -w env -u SVC_LOCK ${svc}`],
    ['a lock that is none', 'SVC_LOCK=off', (svc) => svc],
    ['an empty lock', 'SVC_LOCK=', (svc) => svc],
    ['read-only', 'SVC_LOCK=read-only', (svc) => `unset SVC_LOCK; ${svc}`],
  ];

  it('keeps the lock that a program was started with, as far as the fence goes', LIMIT, async () => {
    const before = paid(machine).length;
    const script = LOCKED.map(
      ([, env, line], at) => `cat > /mnt/lock-${String(at)}.sh << 'LINES'
${line(createLine(`lock-${String(at)}`))}
true
LINES
as_nobody '${env} sh /mnt/lock-${String(at)}.sh' 2>&1 | tail -1`,
    );
    const { stdout, stderr } = await machine.run(`set +e\n${script.join('\n')}`);
    expect(stderr).toBe('');
    const codes = codesIn(stdout);
    expect(codes).toEqual(LOCKED.map(() => 'locked'));
    expect(paid(machine).slice(before)).toEqual([]);
    record('locks', LOCKED.length, paid(machine).length - before);
  });
});

describe.skipIf(!HAS_OWN_MOUNTS || !SOAK)('a program without a rule', () => {
  const machineWith = async (broken: Parameters<typeof programOf>[0]): Promise<GuardedMachine> => {
    const machine = await guardedMachine(await programOf(broken));
    onTestFinished(() => machine.stop());
    return machine;
  };

  it.each([
    ['that believes a policy of anybody', CREDULOUS],
    ['that takes a policy it cannot read for none', CARELESS],
  ] as const)('%s sends what nobody allowed', LIMIT, async (name, variant) => {
    const machine = await machineWith(variant);
    await tryPlaces(machine, PLACES, 'nobody');
    const arrived = paid(machine);
    const isPaid = (at: number) => arrived.includes(`nobody-${String(at)}`);
    const wrong = PLACES.filter(({ refused }, at) => refused !== null && isPaid(at));
    expect(wrong.length).toBeGreaterThan(5);
    record(`control: a program ${name}`, PLACES.length, wrong.length);
  });

  it('that looks at its own environment alone loses its lock', LIMIT, async () => {
    const machine = await machineWith(FORGETFUL);
    const line = `unset SVC_LOCK; ${createLine('forgotten')}; true`;
    await machine.run(`as_nobody 'SVC_LOCK=sandbox sh -c "${line}"'`);
    expect(paid(machine)).toEqual(['forgotten']);
    record('control: a program that looks at its own environment alone', 1, paid(machine).length);
  });
});
