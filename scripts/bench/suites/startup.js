import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { buildExecutable } from '../../release/executable.js';
import { isInstalled, paired } from '../measure.js';
import { payin, send } from '../requests.js';

export const title = 'Start-up';
export const note =
  'Each command is a process of its own, its files cached. "Loopback" is a sandbox server in memory; "embedded" is the sandbox in the ' +
  'command, over its file. "One file" is the executable of `npm run release`.';

const GOALS = {
  version: 1.08,
  help: 1.08,
  get: 2.4,
  create: 2.8,
  getEmbedded: 2.3,
  createEmbedded: 2.6,
  verify: 1.9,
};

/** @param {import('../stage.js').Stage} stage */
export async function* run(stage) {
  const server = await stage.sandbox(':memory:');
  const made = JSON.parse(await send(server, 'POST', '/v2/payins', payin(1)));
  const file = join(stage.folder, 'svc');
  await buildExecutable(stage.root, file);
  const forms = /** @type {const} */ ([
    ['', process.execPath, [stage.svc]],
    [', one file', file, []],
  ]);
  for (const [form, command, first] of forms) {
    const local = stage.environment();
    const remote = stage.environment({ SVC_BASE_URL: server.base_url, SVC_API_KEY: server.api_key });
    const embedded = JSON.parse(stage.once(create(), local));
    stage.once(create(), remote);
    const row = (
      /** @type {string} */ what,
      /** @type {string[]} */ words,
      /** @type {number} */ atMost,
      /** @type {Partial<import('../measure.js').Subject>} */ more = {},
    ) =>
      paired({
        ...{ command, env: local, ...more, args: [...first, ...words], what: `${what}${form}` },
        // One file is read faster than many.
        atMost: form === '' ? atMost : Math.round(atMost * 100 - 10) / 100,
      });

    yield row('`svc --version`', ['--version'], GOALS.version);
    yield row('`svc --help`', ['--help'], GOALS.help);
    yield row('`svc payins create --help`', ['payins', 'create', '--help'], GOALS.help);
    yield row('`svc payins get ID`, loopback', ['payins', 'get', made.id], GOALS.get, { env: remote });
    yield row('`svc payins get ID`, embedded', ['payins', 'get', embedded.id], GOALS.getEmbedded);
    yield row('`svc payins create`, loopback', create(), GOALS.create, { env: remote });
    yield row('`svc payins create`, embedded', create(), GOALS.createEmbedded);
    const { words, ...verified } = await verification(server, local);
    yield row('`svc webhooks verify` of 1 MB', words, GOALS.verify, verified);
  }
  for (const subject of others(server, made.id, stage.environment())) yield paired(subject);
  await server.stop();
}

function create() {
  const { payer, method, country, currency, amount } = payin(1);
  const fields = Object.entries({
    ...payer,
    document: undefined,
    'document.type': 'V',
    'document.number': payer.document.number,
  });
  const payers = fields.flatMap(([name, value]) =>
    value === undefined ? [] : ['--payer', `${name}=${value}`],
  );
  return [
    'payins',
    'create',
    '--method',
    method,
    '--country',
    country,
    '--currency',
    currency,
    '--amount',
    amount,
    ...payers,
  ];
}

/** @param {import('../stage.js').Ready} server @param {NodeJS.ProcessEnv} env */
async function verification(server, env) {
  const [event] = JSON.parse(await send(server, 'GET', '/v2/events')).events;
  const bare = JSON.stringify(event);
  const body = bare
    .replace('"metadata":{', `"metadata":{"filler":"${'x'.repeat(1_000_000 - bare.length)}",`)
    .replace('",}', '"}');
  const at = '1760000000';
  const secret = 'whsec_benchmark';
  const signature = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
  return {
    words: ['webhooks', 'verify', '--at', at],
    env: {
      ...env,
      SVC_WEBHOOK_SECRET: secret,
      SVC_WEBHOOK_SIGNATURE: `v1=${signature}`,
      SVC_WEBHOOK_TIMESTAMP: at,
    },
    input: Buffer.from(body),
  };
}

/** @param {import('../stage.js').Ready} server @param {string} id @param {NodeJS.ProcessEnv} env */
function others(server, id, env) {
  const authorization = `Authorization: Bearer ${server.api_key}`;
  const subjects = [
    { what: '`curl --version`', command: 'curl', args: ['--version'], env },
    {
      what: '`curl` of the same pay-in, loopback',
      command: 'curl',
      args: ['-sS', '-H', authorization, `${server.sandbox_base_url}/v2/payins/${id}`],
      env,
    },
    { what: '`gh --version`', command: 'gh', args: ['--version'], env },
    { what: '`gh --help`', command: 'gh', args: ['--help'], env },
  ];
  return subjects.filter(({ command }) => isInstalled(command));
}
