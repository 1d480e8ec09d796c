/**
 * Usage: `node --random-seed=1 warm.js FILE` writes compiled code. `warm.js --groups` prints as JSON which chunks are
 * loaded together.
 */
import { EventEmitter } from 'node:events';
import { randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';

const load = createRequire(import.meta.url);
const { write } = load('../../bin/container.js');
const { factsOf } = load('../../bin/compiled.js');
const { openProgram } = load('../../bin/program.js');
const files = load('../../bin/files.js');

const [file = ''] = process.argv.slice(2);
// V8 must not throw compiled code away before it is written.
setFlagsFromString('--no-flush-bytecode');

const ID = '6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f';
const CREATE =
  'payouts create --method mobile_payment --country VE --currency VES --amount 20.00 --beneficiary document.type=V ' +
  '--beneficiary document.number=12345678 --beneficiary bank_code=0105 --beneficiary account_number=04149876543';
const CREATE_PAYIN =
  'payins create --method debit_otp --country VE --currency VES --amount 150.00 --payer document.type=V ' +
  '--payer document.number=12345678 --payer bank_code=0102 --payer phone=04121234567';

const POLICY = Buffer.from(
  JSON.stringify({
    version: 1,
    payouts: {
      allow: 'all',
      currencies: { VES: { operation_max: '5000.00', batch_max: '100000.00' } },
      hours: {
        timezone: 'UTC',
        days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
        from: '00:00',
        to: '24:00',
      },
    },
  }),
);

/** @type {Buffer | null} */
let policy = null;

const folder = mkdtempSync(join(tmpdir(), 'svc-warm-'));
process.on('exit', () => {
  rmSync(folder, { recursive: true, force: true });
});
const asksForGroups = file === '--groups';
// Each command then has its own program, and each program listens to the process.
if (asksForGroups) EventEmitter.defaultMaxListeners = 0;
/** @type {Map<string, import('node:vm').Script>} */
const scripts = new Map();
/** @type {Set<string>[]} */
const runs = [];
const opened = () => {
  const taken = new Set();
  runs.push(taken);
  const took = (/** @type {string} */ name, /** @type {import('node:vm').Script} */ script) => {
    taken.add(name);
    scripts.set(name, script);
  };
  return openProgram(files, { compiled: { get: () => undefined, took } });
};
const program = opened();
const { run, start } = program.load('main.js');
if (!asksForGroups) {
  program.load('command/help/layout.js');
  program.load('storage/batches/exchange-thread.js');
}

let answer = '{}';
const service = createServer((request, response) => {
  request.resume();
  if (request.url?.includes('/v2/transactions/') === true) response.statusCode = 404;
  response.setHeader('content-type', 'application/json');
  response.end(answer);
});
// On a busy machine a connection is idle for long. If the service closed it, the client would retry and wait.
service.keepAliveTimeout = 600_000;
await new Promise((resolve) => service.listen(0, '127.0.0.1', () => resolve(undefined)));
const address = /** @type {import('node:net').AddressInfo} */ (service.address());
const remote = {
  SVC_BASE_URL: `http://127.0.0.1:${String(address.port)}`,
  SVC_API_KEY: `svc_test_${'0'.repeat(32)}`,
};

for (const line of [
  CREATE,
  CREATE_PAYIN,
  `${CREATE} --reference invoice-1`,
  'methods --country VE',
  'balances',
  'events list',
  'payouts get ID',
])
  await said(line, {});
const capabilities = await said('capabilities -o json', {});
const body = Buffer.from('{"id":"evt_1"}');
await said(
  'webhooks verify',
  {
    SVC_WEBHOOK_SECRET: 'whsec_x',
    SVC_WEBHOOK_SIGNATURE: `v1=${'0'.repeat(64)}`,
    SVC_WEBHOOK_TIMESTAMP: '1',
  },
  body,
);
for (const [line, known] of /** @type {const} */ ([
  ['capabilities -o json', capabilities],
  [`payouts get ${ID}`, JSON.stringify({ id: ID, status: 'confirmed' })],
  [CREATE, JSON.stringify({ id: ID, status: 'confirmed' })],
])) {
  answer = known;
  await said(line, remote);
}

const live = { SVC_API_KEY: `svc_live_${'0'.repeat(32)}`, SVC_ENV: 'live', SVC_INSECURE_LOOPBACK: '1' };
await said(`payouts get ${ID}`, { ...remote, ...live });
await said(CREATE, { ...remote, ...live });
policy = POLICY;
await said(CREATE, { ...remote, ...live });

// The last command is a real start, which ends the process. It is a create in the sandbox, because no lock or policy of
// this machine forbids that.
process.on('exit', (code) => {
  setFlagsFromString('--flush-bytecode');
  if (code !== 0) return;
  if (asksForGroups) {
    writeFileSync(1, JSON.stringify(groups()));
    return;
  }
  const pack = files.open('svc.pack');
  const parts = [...scripts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, script]) => /** @type {const} */ ([name, script.createCachedData()]));
  writeFileSync(`${file}.new`, write(factsOf(pack.facts.id), parts));
  renameSync(`${file}.new`, file);
});
Object.assign(process.env, { HOME: folder, ...remote });
process.argv.splice(1, Infinity, 'svc', ...CREATE.split(' '), '--quiet', '--idempotency-key', ID);
Object.assign(process.stderr, {
  write: (/** @type {unknown} */ _text, /** @type {(() => void) | undefined} */ done) => {
    done?.();
    return true;
  },
});
await start({ mapStack: (/** @type {string} */ stack) => stack });

/** @returns {string[][]} */
function groups() {
  const names = [...new Set(runs.flatMap((run) => [...run]))].sort();
  const byUse = Object.groupBy(names, (name) => runs.map((run) => (run.has(name) ? '1' : '0')).join(''));
  return Object.values(byUse).flatMap((group = []) => (group.length > 1 ? [group] : []));
}

/** @param {string} line @param {Record<string, string>} env @param {Buffer} [input] @returns {Promise<string>} */
async function said(line, env, input = Buffer.alloc(0)) {
  let [stdout, stderr] = ['', ''];
  const stream = (/** @type {(text: string) => void} */ take) => ({
    isTTY: false,
    columns: 80,
    write: (/** @type {string | Uint8Array} */ chunk) => {
      take(Buffer.from(/** @type {any} */ (chunk)).toString());
      return Promise.resolve();
    },
    durable: () => Promise.resolve(),
  });
  const { signal } = new AbortController();
  const ports = {
    env: { HOME: folder, ...env },
    input: { isTTY: false, readAll: () => Promise.resolve(input), readLine: () => Promise.resolve(null) },
    output: stream((text) => (stdout += text)),
    errors: stream((text) => (stderr += text)),
    redact: Object.assign((/** @type {string} */ text) => text, { add: () => undefined }),
    clock: {
      now: () => Date.now(),
      monotonic: () => performance.now(),
      boot: () => ({ bootId: '', bootMs: 0 }),
      sleep: (/** @type {number} */ ms, /** @type {AbortSignal | undefined} */ ended) =>
        ended === undefined || ended === signal
          ? Promise.reject(new Error(`This line waits for ${String(ms)} ms, and nothing here should.`))
          : new Promise(() => undefined),
    },
    zone: { offsetMinutes: () => 0 },
    random: {
      uuid: () => randomUUID(),
      hex: (/** @type {number} */ count) => randomBytes(count).toString('hex'),
      fraction: () => 0.5,
    },
    paths: {
      config: join(folder, 'config'),
      data: join(folder, 'data'),
      state: join(folder, 'state'),
      cache: join(folder, 'cache'),
    },
    mapStack: (/** @type {string} */ stack) => stack,
    pid: process.pid,
    processes: {
      self: () => ({ machine: 'build', bootId: '', pid: process.pid, started: '' }),
      isAlive: () => true,
    },
    machine: {
      policyFile: '/etc/svc/policy.json',
      keygens: [],
      readTrusted: () =>
        policy === null ? { kind: 'absent' } : { kind: 'bytes', bytes: policy, binds: true },
      parentLocks: () => [],
    },
    signal,
  };
  const typed = asksForGroups ? opened().load('main.js').run : run;
  const code = await typed(line.replace('ID', ID).split(' '), ports);
  if (![0, 5, 17].includes(code)) throw new Error(`${line}: ended with ${String(code)}\n${stdout}${stderr}`);
  return stdout;
}
