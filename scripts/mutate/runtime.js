/** Mistakes on the machine's side: files, locks, addresses, exit codes. */
import { inFile } from './mutant.js';

const reach = inFile('runtime/reach.ts', 'webhook/destination');
const lock = inFile('runtime/lock.ts', 'runtime/lock');
const files = inFile('runtime/files.ts', 'runtime/files.alone');
const whole = inFile('runtime/whole-file.ts', 'runtime/whole-file');
const clock = inFile('runtime/clock.ts', 'runtime/clock.alone');
const failure = inFile('runtime/failure.ts', 'runtime/failure');
const streams = inFile('runtime/streams.ts', 'runtime/streams');
const moving = inFile('runtime/database-moving.ts', 'runtime/database-moving');
const durable = inFile('runtime/durable-output.ts', 'runtime/durable-output.alone');
const folders = inFile('runtime/folders.ts', 'runtime/files.alone');
const setup = inFile('runtime/database-setup.ts', 'runtime/database');
const group = inFile('runtime/child-group.ts', 'commands/sandbox/beside');

export const runtime = [
  moving('a file is moved away before its log', ["in -wal -shm '';", "in '' -wal -shm;"]),
  reach("a delivery may go where a cloud keeps its machine's secrets", ["['169.254.0.0', 16, 'ipv4'],", '']),
  reach('an IPv4 address inside an IPv6 one is not looked into', [
    "const ip = unmapped(address.split('%', 1)[0] ?? '');",
    "const ip = address.split('%', 1)[0] ?? '';",
  ]),
  lock('a lock that another holds is taken', [
    'if (errcode === SQLITE_BUSY) return false;',
    'if (errcode === SQLITE_BUSY) return true;',
  ]),
  files('a file with a key may be read by all', ['const FILE_MODE = 0o600;', 'const FILE_MODE = 0o644;']),
  files('a link in the place of a key file is followed', [
    'O_RDONLY | O_NOFOLLOW | O_NONBLOCK',
    'O_RDONLY | O_NONBLOCK',
  ]),
  clock('a wait of a month ends at once', ['if (leftMs > TIMER_MAX_MS) {', 'if (leftMs === Infinity) {']),
  failure('an unknown outcome ends as if nothing had been sent', [
    'unknown_outcome: 12,',
    'unknown_outcome: 11,',
  ]),
  failure('an item of a message may begin a line of its own', [
    '[head, ...beneath].map(inOneLine)',
    '[head, ...beneath]',
  ]),
  streams('a reader that went away is an error of the disk', [
    "if (error.code === 'EPIPE')",
    "if (error.code === 'EPIPE_')",
  ]),
  streams('standard input may be longer than the limit', [
    'if (length > maxBytes) {',
    'if (chunks.length > maxBytes) {',
  ]),
  durable('a pipe is synced', ['if (!isFile) return;', '']),
  durable('a file is on the disk, and its name is not', [
    'if (!isNamed) await syncName(descriptor, sync);',
    '',
  ]),
  durable('a sync that runs already counts for what is written meanwhile', [
    '[hasMore, isWaiting] = [false, false];\n          return sync();',
    'return sync().then(() => void ([hasMore, isWaiting] = [false, false]));',
  ]),
  durable('what a failed sync has lost is on the disk by the next one', [
    'last = last.then(() => {',
    'last = last.catch(() => undefined).then(() => {',
  ]),
  folders('a folder that a killed run has made may be gone after a power cut', [
    'syncFolder(dirname(file));\n  for (let path = dirname(file);',
    'syncFolder(dirname(file));\n  for (let path = "/";',
  ]),
  setup('macOS leaves a commit in the memory of the drive', ['PRAGMA fullfsync = ON; ', '']),
  group('what a program left behind stays', [
    "if (!signalGroup(leader, 'SIGTERM')) return;",
    'if (signalGroup(leader, 0)) return;',
  ]),
  whole('a file of somebody is replaced by a report', [
    'beginningOf(path, given, beginning.length) !== beginning',
    'false',
  ]),
  whole(
    'others may read a report where the umask lets them',
    ["fs.openSync(temporary, 'wx', MODE)", "fs.openSync(temporary, 'wx')"],
    ['fs.fchmodSync(file, MODE);', ''],
  ),
  whole('what was begun lies about', ['fs.rmSync(temporary, { force: true });', '']),
];
