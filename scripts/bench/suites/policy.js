import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isInstalled, spread } from '../measure.js';
import { payin } from '../requests.js';

export const title = 'A policy';
export const note =
  'A live `svc payins create` at a sandbox server, with a policy at /etc/svc, beside the same without one, in turns.';

const PAIRS = 41;
const WARM_UP = 3;
const LIMITS = { allow: 'all', currencies: { VES: { operation_max: '5000.00', batch_max: '100000.00' } } };
const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const HOURS = { timezone: 'America/Caracas', days: DAYS, from: '00:00', to: '24:00' };

/** Mounts a copy over /etc in this namespace, so that the real /etc does not change. */
const HOLD = `mount -t tmpfs none "$1" && cp -a /etc "$1/etc" && mkdir -p -m 755 "$1/etc/svc" || exit 1
if [ -n "$2" ]; then printf '%s' "$2" > "$1/etc/svc/policy.json"; fi
mount --bind "$1/etc" /etc && echo ready && exec sleep 600`;

/** @param {import('../stage.js').Stage} stage */
export async function* run(stage) {
  if (process.getuid?.() !== 0 || !isInstalled('unshare') || !isInstalled('nsenter')) return;
  const server = await stage.sandbox(':memory:');
  const made = await fetch(`${server.control_url}/keys`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"environment":"live"}',
  });
  const { api_key: key } = /** @type {{ api_key: string }} */ (await made.json());
  const place = { SVC_BASE_URL: server.base_url, SVC_API_KEY: key };
  const live = { ...place, SVC_ENV: 'live', SVC_INSECURE_LOOPBACK: '1' };
  const none = await held(stage, 'none', '');
  try {
    for (const [what, payins] of /** @type {const} */ ([
      ['with limits', LIMITS],
      ['with limits and hours', { ...LIMITS, hours: HOURS }],
    ])) {
      const policy = await held(stage, what.replaceAll(' ', '-'), JSON.stringify({ version: 1, payins }));
      try {
        const [under, beside] = [stage.environment(live), stage.environment(live)];
        const ratios = [];
        for (let round = -WARM_UP; round < PAIRS; round += 1) {
          const first = round % 2 === 0;
          const before = first ? timeMs(none, stage, beside) : 0;
          const takenMs = timeMs(policy, stage, under);
          const ratio = takenMs / (first ? before : timeMs(none, stage, beside));
          if (round >= 0) ratios.push(ratio);
        }
        yield {
          what: `a live create ${what}`,
          unit: 'times one without',
          goal: { atMost: 1.03 },
          ...spread(ratios, 2),
        };
      } finally {
        policy.kill();
      }
    }
  } finally {
    none.kill();
    await server.stop();
  }
}

/** @param {import('../stage.js').Stage} stage @param {string} name @param {string} policy */
function held(stage, name, policy) {
  const folder = join(stage.folder, `etc-${name}`);
  mkdirSync(folder);
  const child = spawn('unshare', ['-m', '--propagation', 'private', 'sh', '-c', HOLD, 'sh', folder, policy], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    child.once('close', () => reject(new Error('no mount namespace can be made here')));
    child.stdout.once('data', () => resolve(child));
  });
}

/**
 * @param {import('node:child_process').ChildProcess} namespace
 * @param {import('../stage.js').Stage} stage
 * @param {NodeJS.ProcessEnv} env
 */
function timeMs({ pid }, stage, env) {
  const startedMs = performance.now();
  const { status, stderr } = spawnSync(
    'nsenter',
    ['-t', String(pid), '-m', process.execPath, stage.svc, ...create()],
    { env, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const takenMs = performance.now() - startedMs;
  if (status !== 0) throw new Error(`a live create ended with ${String(status)}:\n${String(stderr)}`);
  return takenMs;
}

function create() {
  const { payer, method, country, currency, amount } = payin(1);
  const { document, ...rest } = payer;
  const fields = { ...rest, 'document.type': 'V', 'document.number': document.number };
  const payers = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : ['--payer', `${name}=${String(value)}`],
  );
  const place = ['--country', country, '--currency', currency, '--amount', amount];
  return ['payins', 'create', '--method', method, ...place, ...payers, '--yes'];
}
