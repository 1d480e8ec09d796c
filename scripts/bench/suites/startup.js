/** How long one-shot commands take, beside other tools that are installed here. */
import { createHmac } from 'node:crypto';
import { isInstalled, paired } from '../measure.js';
import { payin, send } from '../requests.js';

export const title = 'Start-up';
export const note =
  'Every command is a process of its own: files cached, the compile cache warm. "Loopback" is a sandbox server in memory; ' +
  '"embedded" is the sandbox inside the command, over its file.';

/** @param {import('../stage.js').Stage} stage */
export async function* run(stage) {
  const server = await stage.sandbox(':memory:');
  const local = stage.environment();
  const remote = stage.environment({ SVC_BASE_URL: server.base_url, SVC_API_KEY: server.api_key });
  const made = JSON.parse(await send(server, 'POST', '/v2/payins', payin(1)));
  const embedded = JSON.parse(stage.once(create(), local));
  stage.once(create(), remote);

  const svc = { command: process.execPath, env: local };
  const args = (/** @type {string[]} */ ...words) => [stage.svc, ...words];
  yield paired({ ...svc, what: '`svc --version`', args: args('--version'), atMost: 1.15 });
  yield paired({ ...svc, what: '`svc --help`', args: args('--help'), atMost: 2.6 });
  yield paired({
    ...svc,
    what: '`svc payins create --help`',
    args: args('payins', 'create', '--help'),
    atMost: 2.6,
  });
  const get = args('payins', 'get', made.id);
  yield paired({ ...svc, env: remote, what: '`svc payins get ID`, loopback', args: get, atMost: 3.3 });
  yield paired({
    ...svc,
    what: '`svc payins get ID`, embedded',
    args: args('payins', 'get', embedded.id),
    atMost: 3.8,
  });
  yield paired({
    ...svc,
    env: remote,
    what: '`svc payins create`, loopback',
    args: args(...create()),
    atMost: 4,
  });
  yield paired({ ...svc, what: '`svc payins create`, embedded', args: args(...create()), atMost: 4 });
  for (const subject of others(server, made.id, local)) yield paired(subject);
  yield paired(await verification(stage, server, local));
  await server.stop();
}

/** The flags of a pay-in; the amount is fixed, the key is new each time. */
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

/**
 * A delivery of 1 MB: an event of the sandbox whose operation carries that much metadata.
 * @param {import('../stage.js').Stage} stage @param {import('../stage.js').Ready} server @param {NodeJS.ProcessEnv} env
 */
async function verification(stage, server, env) {
  const [event] = JSON.parse(await send(server, 'GET', '/v2/events')).events;
  const bare = JSON.stringify(event);
  const body = bare
    .replace('"metadata":{', `"metadata":{"filler":"${'x'.repeat(1_000_000 - bare.length)}",`)
    .replace('",}', '"}');
  const at = '1760000000';
  const secret = 'whsec_benchmark';
  const signature = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
  return {
    what: '`svc webhooks verify` of 1 MB',
    command: process.execPath,
    args: [stage.svc, 'webhooks', 'verify', '--at', at],
    env: {
      ...env,
      SVC_WEBHOOK_SECRET: secret,
      SVC_WEBHOOK_SIGNATURE: `v1=${signature}`,
      SVC_WEBHOOK_TIMESTAMP: at,
    },
    input: Buffer.from(body),
    atMost: 2.6,
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
