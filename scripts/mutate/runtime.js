import { heldBy } from './mutant.js';

const reach = heldBy('events/webhooks/destination');
const lock = heldBy('runtime/lock');
const files = heldBy('runtime/files.alone');
const whole = heldBy('runtime/whole-file');
const trusted = heldBy('runtime/trusted-file', 'runtime/trusted-file.alone');
const clock = heldBy('runtime/clock.alone');
const failure = heldBy('runtime/failure');
const streams = heldBy('runtime/streams');
const moving = heldBy('runtime/database-moving');
const durable = heldBy('runtime/durable-output.alone');
const folders = heldBy('runtime/files.alone');
const setup = heldBy('runtime/database');
const group = heldBy('sandbox/exec');
const above = heldBy('runtime/parents');

export const runtime = [
  moving('movingLine', 'a file is moved away before its log', ["in -wal -shm '';", "in '' -wal -shm;"]),
  moving('movingLine', 'a line that is typed twice moves the new file onto the old one', [
    '`[ -e ${to} ] || for',
    '`for',
  ]),
  reach('FORBIDDEN_ADDRESSES', "a delivery may go where a cloud keeps its machine's secrets", [
    '169.254.0.0/16 ',
    '',
  ]),
  reach('classifyAddress', 'an IPv4 address inside an IPv6 one is not looked into', [
    "const ip = withoutMapping(address.split('%', 1)[0] ?? '');",
    "const ip = address.split('%', 1)[0] ?? '';",
  ]),
  lock('tryLock', 'a lock that another holds is taken', [
    'if (errcode === SQLITE_BUSY) return false;',
    'if (errcode === SQLITE_BUSY) return true;',
  ]),
  files('FILE_MODE', 'a file with a key may be read by all', [
    'const FILE_MODE = 0o600;',
    'const FILE_MODE = 0o644;',
  ]),
  files('openNoLink', 'a link in the place of a key file is followed', [
    'O_RDONLY | O_NOFOLLOW | O_NONBLOCK',
    'O_RDONLY | O_NONBLOCK',
  ]),
  trusted('requireTrusted', 'a policy of anybody is believed', ['stats.uid !== BigInt(ROOT)', 'false']),
  trusted('requireTrusted', 'nobody asks whether we may write it', ['&& mayWrite(path)', '&& false']),
  trusted('requireTrusted', 'root is refused its own policy', [
    'const isRoot = currentUser() === ROOT;',
    'const isRoot = false;',
  ]),
  trusted('mayWrite', 'a file system that nobody may write is taken for one that we may', ["'EROFS', ", '']),
  trusted('absentFile', 'a link that leads nowhere is no policy', ['if (missing.isLinked)', 'if (false)']),
  trusted('absentFile', 'who may take a policy away is bound by none', ['requireTrusted(parts);', '']),
  trusted('readOnce', 'a pipe is read', ['lastPart?.stats.isFile() !== true', 'lastPart === undefined']),
  trusted('readCheckedFile', 'what stands there at the opening is not looked at', [
    '!isSame(statsBefore, filePart.stats)',
    'false',
  ]),
  trusted('readCheckedFile', 'a file that is written meanwhile is half read', [
    '!isSame(statsBefore, fs.fstatSync(file, { bigint: true }))',
    'false',
  ]),
  trusted('readCheckedFile', 'a file of any size is taken', [
    'if (statsBefore.size > BigInt(maxBytes))',
    'if (false)',
  ]),
  clock('makeClock', 'a wait of a month ends at once', [
    'if (remainingMs > TIMER_MAX_MS) {',
    'if (remainingMs === Infinity) {',
  ]),
  failure('EXIT_CODES', 'an unknown outcome ends as if nothing had been sent', [
    'unknown_outcome: 12,',
    'unknown_outcome: 11,',
  ]),
  failure('wholeMessage', 'an item of a message may begin a line of its own', [
    '[head, ...lines].map(escapeLineEnds)',
    '[head, ...lines]',
  ]),
  streams('writeFailure', 'a reader that went away is an error of the disk', [
    "if (error.code === 'EPIPE')",
    "if (error.code === 'EPIPE_')",
  ]),
  streams('inputOf', 'standard input may be longer than the limit', [
    'if (length > maxBytes) {',
    'if (chunks.length > maxBytes) {',
  ]),
  durable('fileSyncOf', 'a pipe is synced', ['if (!isFile) return;', '']),
  durable('fileSyncOf', 'a file is on the disk, and its name is not', [
    'if (!isNameSynced) await syncName(descriptor, sync);',
    '',
  ]),
  durable('coalesceSyncs', 'a sync that runs already counts for what is written meanwhile', [
    '[hasUnsynced, isSyncScheduled] = [false, false];\n          return sync();',
    'return sync().then(() => void ([hasUnsynced, isSyncScheduled] = [false, false]));',
  ]),
  durable('coalesceSyncs', 'what a failed sync has lost is on the disk by the next one', [
    'lastSync = lastSync.then(() => {',
    'lastSync = lastSync.catch(() => undefined).then(() => {',
  ]),
  folders('syncNamesAbove', 'a folder that a killed run has made may be gone after a power cut', [
    'syncFolder(dirname(file));\n  for (let path = dirname(file);',
    'syncFolder(dirname(file));\n  for (let path = "/";',
  ]),
  setup('prepareSchema', 'macOS leaves a commit in the memory of the drive', ['PRAGMA fullfsync = ON; ', '']),
  group('endGroup', 'what a program left behind stays', [
    "if (!signalGroup(leader, 'SIGTERM')) return;",
    'if (signalGroup(leader, 0)) return;',
  ]),
  whole('requireReplaceable', 'a file of somebody is replaced by a report', [
    'beginningOf(path, typedPath, beginning.length) !== beginning',
    'false',
  ]),
  whole(
    'beginWholeFile',
    'others may read a report where the umask lets them',
    ["fs.openSync(temporaryPath, 'wx', WHOLE_FILE_MODE)", "fs.openSync(temporaryPath, 'wx')"],
    ['fs.fchmodSync(file, WHOLE_FILE_MODE);', ''],
  ),
  whole('beginWholeFile', 'what was begun lies about', ['fs.rmSync(temporaryPath, { force: true });', '']),
  above('ancestorValues', 'only this process is looked at', ['count < PARENTS_MAX', 'count < 1']),
  above('parentOf', 'the name of a program says who is above it', ["lastIndexOf(')')", "indexOf(')')"]),
];
