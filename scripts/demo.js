import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandLine } from './demo/shell.js';

const BIN = fileURLToPath(new URL('../bin/run.js', import.meta.url));
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

const home = mkdtempSync(join(tmpdir(), 'svc-demo-'));
process.on('exit', () => rmSync(home, { recursive: true, force: true }));

const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(SVC_|XDG_|NO_COLOR$|FORCE_COLOR$)/.test(name)),
);

say('This is a tour of svc on its embedded sandbox: no account, no server, no key, and no money moves.');

chapter('Collect money with a one-time code');
const payer = [
  '--payer',
  'document.type=V',
  '--payer',
  'document.number=12345678',
  '--payer',
  'bank_code=0102',
];
const place = ['--country', 'VE', '--currency', 'VES'];
const debit = [
  'payins',
  'create',
  '--method',
  'debit_otp',
  ...place,
  ...payer,
  '--payer',
  'phone=04121234567',
];
const first = operationIn(svc([...debit, '--amount', '150.00', '--reference', 'order-1001']));
svc(['payins', 'resend', first]);
svc(['payins', 'confirm', first, '--code', '123456']);

chapter('A wrong code ends a pay-in: exit code 9');
const second = operationIn(svc([...debit, '--amount', '99.90', '--reference', 'order-1002']));
svc(['payins', 'confirm', second, '--code', '000000'], { exits: 9 });

chapter('An incoming transfer: the payer sends the money, the pay-in finds it');
const transfer = ['payins', 'create', '--method', 'incoming_transfer', ...place, ...payer];
const third = operationIn(svc([...transfer, '--amount', '2500.00', '--reference', 'invoice-77']));
svc(['sandbox', 'payment', '--for', third]);
svc(['payins', 'get', third]);

chapter('Send money: a payout that settles');
const payout = (/** @type {string} */ number) => [
  ...['payouts', 'create', '--method', 'mobile_payment', ...place, '--purpose', 'payroll'],
  ...['--beneficiary', 'document.type=V', '--beneficiary', `document.number=${number}`],
  ...['--beneficiary', 'bank_code=0105', '--beneficiary', 'account_number=04149876543'],
];
const fourth = operationIn(svc([...payout('00000002'), '--amount', '320.50']));
svc(['payouts', 'get', fourth, '--wait']);

chapter('And one that is cancelled before the bank has it');
const fifth = operationIn(svc([...payout('00000002'), '--amount', '75.00']));
svc(['payouts', 'cancel', fifth]);

chapter('An answer is lost: exit code 12, and one command that is safe to run');
svc(['sandbox', 'fault', '--route', 'payouts.create', '--kind', 'drop-after', '--count', '3']);
svc([...payout('11112222'), '--amount', '40.00', '--idempotency-key', 'rent-2026-11'], { exits: 12 });
svc(['requests', 'list']);
svc(['requests', 'repeat', 'rent-2026-11']);

chapter('Everything that happened, in order, and what is left');
svc(['events', 'list']);
svc(['balances']);

chapter('A webhook, verified; and one that somebody touched, refused and explained');
const secret = { SVC_WEBHOOK_SECRET: 'whsec_of_this_tour' };
svc(['events', 'list', '--limit', '1', '--jq', '.events[0]'], { to: 'event.json' });
svc(['webhooks', 'sign', '--jq', 'to_entries[] | "\\(.key): \\(.value)"'], {
  from: 'event.json',
  to: 'headers.txt',
  env: secret,
});
write('delivery.http', `${read('headers.txt')}\n${read('event.json')}`);
svc(['webhooks', 'verify', '--jq', '.type'], { from: 'delivery.http', env: secret });
write('tampered.http', read('delivery.http').replace('"150.00"', '"950.00"'));
svc(['webhooks', 'verify', '--explain'], { from: 'tampered.http', env: secret, exits: 17 });

say('\nThat is all of it: the same commands work with your own account (see "svc profiles add --help").');

/**
 * @param {string[]} words
 * @param {{ exits?: number, from?: string, to?: string, env?: Record<string, string> }} [options]
 */
function svc(words, { exits = 0, from, to, env: more = {} } = {}) {
  const redirections = `${from === undefined ? '' : ` < ${from}`}${to === undefined ? '' : ` > ${to}`}`;
  process.stdout.write(`\n$ ${commandLine(['svc', ...words])}${redirections}\n`);
  const form = words.includes('--jq') ? [] : ['-o', 'table'];
  const { status, stdout, stderr, error } = spawnSync(process.execPath, [BIN, ...words, ...form, '--quiet'], {
    env: { ...env, ...more, HOME: home },
    cwd: home,
    encoding: 'utf8',
    input: from === undefined ? '' : read(from),
  });
  if (error !== undefined) throw error;
  if (to !== undefined) write(to, stdout);
  const data = to === undefined ? stdout : '';
  // Notes come before the data and an error comes after it, as on a terminal.
  process.stdout.write(exits === 0 ? stderr + data : data + stderr);
  if (status !== exits) {
    process.stderr.write(`The tour stops: exit code ${String(status)}, and ${String(exits)} was promised.\n`);
    process.exit(1);
  }
  if (exits !== 0) say(`(exit code ${String(exits)})`);
  return stdout;
}

/** @param {string} name */
function read(name) {
  return readFileSync(join(home, name), 'utf8');
}

/** @param {string} name @param {string} text */
function write(name, text) {
  writeFileSync(join(home, name), text);
}

/** @param {string} text */
function operationIn(text) {
  const id = UUID.exec(text)?.[0];
  if (id === undefined) throw new Error('the output holds no operation');
  return id;
}

/** @param {string} title */
function chapter(title) {
  say(`\n== ${title}`);
}

/** @param {string} text */
function say(text) {
  process.stdout.write(`${text}\n`);
}
