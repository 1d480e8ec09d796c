/** The tour: real commands on the embedded sandbox, in a folder of their own, each checked for the exit code it promises. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandLine } from './demo/shell.js';

const BIN = fileURLToPath(new URL('../bin/run.js', import.meta.url));
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

const home = mkdtempSync(join(tmpdir(), 'svc-demo-'));
process.on('exit', () => rmSync(home, { recursive: true, force: true }));

/** Nothing of the machine's own configuration reaches the tour. */
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
svc(['payins', 'confirm', second, '--code', '000000'], 9);

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

chapter('Everything that happened, in order, and what is left');
svc(['events', 'list', '-o', 'table']);
svc(['balances']);

say('\nThat is all of it: the same commands work with your own account (see "svc profiles add --help").');

/**
 * Runs a command, shows what it prints, and ends the tour where its exit code is another than promised.
 * @param {string[]} words
 */
function svc(words, expected = 0) {
  process.stdout.write(`\n$ ${commandLine(['svc', ...words])}\n`);
  const output = words.includes('-o') ? [] : ['-o', 'table'];
  const { status, stdout, stderr, error } = spawnSync(
    process.execPath,
    [BIN, ...words, ...output, '--quiet'],
    {
      env: { ...env, HOME: home },
      encoding: 'utf8',
    },
  );
  // Notes come before the data, an error after it, as they do on a terminal.
  process.stdout.write(expected === 0 ? stderr + stdout : stdout + stderr);
  if (error !== undefined) throw error;
  if (status !== expected) {
    process.stderr.write(
      `The tour stops: exit code ${String(status)}, and ${String(expected)} was promised.\n`,
    );
    process.exit(1);
  }
  if (expected !== 0) say(`(exit code ${String(expected)})`);
  return stdout;
}

/** The id of the operation that a command printed. @param {string} text */
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
