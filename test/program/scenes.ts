import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMAND_IDS, REGISTRY } from '../../src/registry.js';
import { Stopped } from '../../src/runtime/ports.js';
import type { Transport } from '../../src/runtime/transport.js';
import { PROBE, shopTransport } from '../certify/support/shop-transport.js';
import { LOST } from '../support/open-request.js';
import { csv, feesCsv, people } from '../support/payroll.js';
import { planBytes } from '../support/plans.js';
import { debitOtp, incomingTransfer, payout, PAYOUT_BODY } from '../support/requests.js';
import { KEYGEN, keygenMachine } from '../support/signers.js';
import { shakySandbox, type Fate } from '../support/shaky-sandbox.js';
import type { RunOptions, World } from '../support/svc.js';

const VECTOR = JSON.parse(
  readFileSync(join(import.meta.dirname, '../sandbox/delivery/vector.json'), 'utf8'),
) as {
  readonly secret: string;
  readonly timestamp: number;
  readonly body: string;
  readonly signature: string;
};
export const SIGNED_AT = new Date(VECTOR.timestamp * 1000).toISOString();

const KEY = 'invoice-2048';
const BATCH = 'payroll-2026-09';
const SIGNED = { SVC_WEBHOOK_SECRET: VECTOR.secret };

const FILES: Readonly<Record<string, string>> = {
  'payout.json': PAYOUT_BODY,
  'event.json': VECTOR.body,
  'body.json': VECTOR.body,
  'request.http':
    `POST /hooks HTTP/1.1\r\nHost: shop.example\r\nX-Firma: ${VECTOR.signature}\r\n` +
    `X-Timestamp: ${VECTOR.timestamp}\r\n\r\n${VECTOR.body}`,
  'secret.txt': VECTOR.secret,
  'key.txt': 'svc_test_0123456789abcdef\n',
  'password.txt': 'a password\n',
  'payroll.csv': csv(people(2)),
  'fees.csv': feesCsv('direct_debit'),
  'ledger.csv': 'reference,amount,currency\nrent-1,10.00,VES\n',
  'bank.csv': 'Ref;Monto;Fecha;Moneda\nrent-1;10,00;25/09/2026;VES\n',
  'report.html': '',
  'policy.json': JSON.stringify({ version: 1, payouts: { allow: 'read' } }),
  allowed_signers:
    'ana@example.com namespaces="svc-payroll-approval" ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDZDNwpMvchLRUg9k+zHOfCHEGHw+fUo/iNTrrYaWLB2\n',
  'state.json': JSON.stringify({ svc_sandbox_state: 1, now: SIGNED_AT, companies: [] }),
  'order-state': PROBE,
  'handle-event': '#!/bin/sh\ncat > /dev/null\n',
};

export const EXAMPLES = (
  await Promise.all(
    COMMAND_IDS.map(async (id) => (await REGISTRY[id]()).examples.map((example) => [id, example] as const)),
  )
).flat();

const receiver =
  (status: number): Transport =>
  () =>
    Promise.resolve({ status, headers: [], body: Buffer.alloc(0) });

export async function sceneOf(fresh: World, id: string, example: string) {
  const [, piped, line = '', from] =
    /^(?:printf (\S+) \| )?svc (.*?)(?: < (\S+))?(?: > \S+)?$/.exec(example) ?? [];
  const operation = String((await fresh.svc(operationOf(id, example))).json()['id']);
  const words = (line.match(/(?:'[^']*'|"[^"]*"|\S)+/g) ?? []).map((word) =>
    word.replace(/^(['"])(.*)\1$/, '$2'),
  );
  const payin = JSON.stringify((await fresh.svc([...incomingTransfer(), '--dry-run'])).json()['body']);
  const lost = await lostIn(fresh, id);
  const service = lost?.options ?? (await backdrop(fresh, id, example));
  const known: Readonly<Record<string, string>> = {
    ...{ $ID: lost?.operation ?? operation, ID: operation, '12': '1', $KEY: KEY, $BATCH: BATCH },
    ...{ $X_FIRMA: VECTOR.signature, $X_TIMESTAMP: String(VECTOR.timestamp) },
  };
  const argv = words.map((word) => {
    if (word.startsWith('~/.ssh/')) return sshKeyIn(fresh);
    if (word.startsWith('sqlite:')) return word.replace(':', `:${fresh.home}/`);
    if (word === 'end.json') return join(fresh.home, word);
    const [, at = '', name = ''] = /^(@|\.\/)?([a-z_-]+(?:\.[a-z]+)?)$/.exec(word) ?? [];
    const made = {
      'payin.json': payin,
      'payroll.plan': planAfter(operation),
      'earlier.plan': planAfter(operation),
    }[name];
    const content = made ?? FILES[name];
    if (content === undefined) return known[word] ?? word;
    const path = join(fresh.home, name);
    writeFileSync(path, content, { mode: 0o700 });
    return at === '@' ? `@${path}` : path;
  });
  return {
    argv: onAnyPort(id, argv),
    options: {
      stdin: FILES[from ?? ''] ?? piped ?? '',
      ...service,
      ...endOf(fresh, id, example),
      ...(id === 'batches approve' ? APPROVER : {}),
      ...(needsKeygen(example) ? { machine: keygenMachine() } : {}),
    },
  };
}

export function needsKeygen(example: string): boolean {
  return /--ssh-key|--signers/.test(example);
}

function sshKeyIn({ home }: World): string {
  const path = join(home, 'id_ed25519');
  execFileSync(KEYGEN, ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', path]);
  return path;
}

const APPROVER: RunOptions = { tty: { stdin: true, stderr: true }, stdin: '202.00\n' };

function planAfter(operation: string): string {
  const place = { environment: 'sandbox', address: 'embedded' } as const;
  const validUntil = new Date(Date.parse(SIGNED_AT) + 3_600_000).toISOString().replace('.000Z', 'Z');
  const times = { made_at: SIGNED_AT.replace('.000Z', 'Z'), valid_until: validUntil };
  const rows = people(2, (at) => ({ reference: `july-${at}` }));
  return planBytes(rows, { ...place, ...times, company: { letters: null, operation } }).toString();
}

function onAnyPort(id: string, argv: readonly string[]): readonly string[] {
  if (id === 'events forward') return argv.map((word, at) => (argv[at - 1] === '--health' ? '0' : word));
  if (id !== 'webhooks listen' && id !== 'sandbox start') return argv;
  const others = argv.filter((word, at) => word !== '--port' && argv[at - 1] !== '--port');
  return [...others, '--port', '0'];
}

function operationOf(id: string, example: string): string[] {
  if (id.startsWith('events ') || id === 'reconcile') return payout();
  if (/payouts|transactions/.test(id) || example.includes('--settle')) return payout('00000002');
  return /^payins (confirm|resend)/.test(id) ? debitOtp() : incomingTransfer();
}

async function backdrop(fresh: World, id: string, example: string): Promise<RunOptions> {
  if (/^profiles (show|use|remove|set|set-key|set-state)/.test(id)) {
    await fresh.svc('profiles add shop --base-url https://api.example.com');
  }
  if (id === 'operations find') await fresh.svc([...payout(), '--reference', KEY]);
  if (id === 'sandbox ping')
    await fresh.svc('api POST /v2/webhook-endpoints -f url=https://shop.example/hook');
  if (/^requests (show|repeat|forget)/.test(id)) {
    const { env, transport, next } = shakySandbox(fresh.clock);
    next(...LOST);
    await fresh.svc([...payout(), '--idempotency-key', KEY], { env, transport });
    return { env, transport };
  }
  if (id === 'sandbox exec') {
    writeFileSync(join(fresh.home, 'npm'), '#!/bin/sh\ntest -n "$SVC_SANDBOX_URL"\n', { mode: 0o755 });
    return { env: { PATH: `${fresh.home}:${process.env['PATH'] ?? ''}` }, wire: true };
  }
  if (id === 'lock') {
    for (const name of ['npm', 'your-agent'])
      writeFileSync(join(fresh.home, name), '#!/bin/sh\ntest -n "$SVC_LOCK"\n', { mode: 0o755 });
    const env = { PATH: `${fresh.home}:${process.env['PATH'] ?? ''}`, SVC_LOCK_HOLDER: String(process.pid) };
    return { env };
  }
  if (id === 'certify client') {
    writeFileSync(join(fresh.home, 'npm'), PAYS, { mode: 0o755 });
    return { env: { PATH: `${fresh.home}:${process.env['PATH'] ?? ''}` }, wire: true };
  }
  if (id.startsWith('batches ')) {
    const file = join(fresh.home, 'before.csv');
    writeFileSync(
      file,
      csv(people(2, (at) => (at === 0 ? {} : { 'beneficiary.document.number': '00000001' }))),
    );
    await fresh.svc(['payouts', 'batch', file, '--batch', BATCH]);
  }
  if (/^webhooks (sign|verify)/.test(id)) return { env: SIGNED };
  if (id === 'certify receiver')
    return { env: SIGNED, transport: shopTransport('right', VECTOR.secret, fresh.home, fresh.clock) };
  if (id === 'webhooks trigger') return { transport: receiver(example.includes('--bad-') ? 400 : 204) };
  return id === 'events forward' ? { transport: receiver(204) } : {};
}

const PAYS = `#!/bin/sh
test "$1" = run && exit 0
answer=$(curl -sf -m 1 -H "Authorization: Bearer $SVC_API_KEY" -H 'Idempotency-Key: order-1001' -H 'Content-Type: application/json' -d '
{"amount":"20.00","country":"VE","currency":"VES","method":"mobile_payment","beneficiary":{"document":{"type":"V","number":"12345678"},"bank_code":"0105","account_number":"04149876543"}}
' "$SVC_SANDBOX_URL/v2/payouts") || exit
case "$answer" in *'"status":"failed"'*) exit 1 ;; esac
`;

function lostIn(fresh: World, id: string): Promise<{ options: RunOptions; operation: string } | null> {
  if (id === 'batches resolve') return lostBatch(fresh);
  return id === 'requests resolve' ? lostCreate(fresh) : Promise.resolve(null);
}

async function lostCreate(fresh: World): Promise<{ options: RunOptions; operation: string }> {
  const { env, transport, next, posts } = shakySandbox(fresh.clock);
  next(...LOST);
  await fresh.svc([...payout(), '--idempotency-key', KEY], { env, transport });
  const { body } = await transport(posts[0]!, { timeoutMs: 1000 });
  fresh.clock.advance(24 * 3_600_000);
  const { id: operation } = JSON.parse(Buffer.from(body).toString('utf8')) as { id: string };
  return { options: { env, transport }, operation };
}

async function lostBatch(fresh: World): Promise<{ options: RunOptions; operation: string }> {
  const { env, transport, next, posts } = shakySandbox(fresh.clock);
  const file = join(fresh.home, 'before.csv');
  writeFileSync(file, csv(people(2, (at) => ({ reference: `emp-000${at + 1}` }))));
  const other: Fate = { status: 201, body: { id: 'x', status: 'confirmed', amount: '1.00' } };
  next(other, other, 'lost-before', 'lost-before', 'lost-before');
  await fresh.svc(['payouts', 'batch', file, '--batch', BATCH, '--concurrency', '1'], { env, transport });
  const { body } = await transport(posts[0]!, { timeoutMs: 1000 });
  fresh.clock.advance(24 * 3_600_000);
  await fresh.svc(['batches', 'resume', BATCH], { env, transport });
  const { id: operation } = JSON.parse(Buffer.from(body).toString('utf8')) as { id: string };
  return { options: { env, transport }, operation };
}

function endOf(fresh: World, id: string, example: string): RunOptions {
  const controller = new AbortController();
  const stop = (): void => controller.abort(new Stopped('SIGINT', 130));
  if (id === 'sandbox start' || id === 'webhooks listen') {
    const onReady = (text: string): void => {
      if (text.includes('127.0.0.1:')) stop();
    };
    return { signal: controller.signal, onData: onReady, onNote: onReady, wire: true };
  }
  const follows = /^svc (events (tail|forward)|sandbox requests .*--follow)/;
  if (!follows.test(example) || /--no-follow|--print-secret/.test(example)) return {};
  Object.assign(fresh.clock, {
    sleep: () => {
      stop();
      return Promise.reject(controller.signal.reason as Error);
    },
  });
  return { signal: controller.signal };
}
