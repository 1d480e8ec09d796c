import { describe, expect, it } from 'vitest';
import { openServer } from '../../sandbox/wire/wire.js';
import { shell } from '../../support/program.js';
import { KEYS, openTerminal, pasted, plain, RESTORED, type TerminalRun } from '../../support/terminal.js';
import { testFolder } from '../../support/test-folder.js';

const { ctrlC, down, enter, escape, up } = KEYS;

const GIVEN = ['--country', 'VE', '--method', 'debit_otp'];
const WHOLE = [
  ...GIVEN,
  ...['--amount', '10.00', '--payer', 'document.type=V', '--payer', 'document.number=12345678'],
  ...['--payer', 'bank_code=0102', '--payer', 'phone=04121234567'],
];
const SUMMARY = /Collect[^]*Esc: leave/;

async function service() {
  const { server, sandbox } = await openServer();
  const url = `http://127.0.0.1:${server.port}`;
  return {
    env: { SVC_BASE_URL: url, SVC_API_KEY: sandbox.apiKey },
    control: async (path: string, body: object) => {
      const answer = await fetch(`${url}/_control/${path}`, { method: 'POST', body: JSON.stringify(body) });
      expect(answer.ok).toBe(true);
      return (await answer.json()) as { api_key: string };
    },
  };
}

const fault = (route: string, kind: string, count = 1) => ({ route, kind, count });

async function atCode({ env }: Awaited<ReturnType<typeof service>>, columns = 80): Promise<TerminalRun> {
  const run = openTerminal(['payins', 'create', '-i', ...WHOLE], { env, columns });
  await run.shows(SUMMARY);
  await run.go(enter, /left\.[^]*Later/);
  return run;
}

async function expectEnd(run: TerminalRun, exitCode: number): Promise<void> {
  expect(await run.ended, run.text()).toBe(exitCode);
  const shown = run.all();
  expect(shown).toContain(RESTORED);
  expect(shown.lastIndexOf('[?25h')).toBeGreaterThan(shown.lastIndexOf('[?25l'));
  expect(shown.lastIndexOf('[?2004l')).toBeGreaterThan(shown.lastIndexOf('[?2004h'));
}

describe('a pay-in at a terminal', () => {
  it('asks for what is missing, creates, takes the code and shows the outcome', async () => {
    const { env } = await service();
    const run = openTerminal(['payins', 'create', ...GIVEN], { env, columns: 60 });
    await run.shows(/Amount in VES \(1 of 5\)/);
    await run.go('10,5', /to 500000\.00/);
    await run.go('\u007f\u007f.50', /10\.50_ ok/);
    await run.go(enter, /Document type/);
    await run.go(enter, /Document number/);
    await run.go('12345678', /12345678_ ok/);
    await run.go(enter, /Banesco/);
    await run.go('mercan', /> 0105 {2}Banco Mercantil/);
    await run.go(enter, /Phone/);
    await run.go(up, /Bank \(4 of 5\)/);
    await run.go(down + enter, /Phone/);
    await run.go('04121234567', /ok/);
    await run.go(enter, SUMMARY);
    expect(run.text()).toMatch(/Document number +\*\*\*5678/);
    expect(run.text()).toMatch(/Environment +sandbox: no money moves/);
    await run.go(enter, /4:5\d left/);
    expect(run.text()).toContain('sandbox the code is 123456');
    expect(run.text()).toMatch(/Bank: 0105 {2}Banco Mercantil/);
    expect(run.text()).toMatch(/Idempotency-Key: [0-9a-f]{32}\n/);
    expect(run.text()).toContain('One wrong code ends this pay-in');
    await run.go(pasted('123 456'), /Code: 123456_/);
    const before = run.all().length;
    await run.go(enter, /Confirmed: 10\.50 VES, bank reference [0-9]{8}/);
    await expectEnd(run, 0);
    expect(run.all().slice(before)).not.toContain('123456');
  });

  it('says that a wrong code ended it, and starts another with the same data and a new key', async () => {
    const run = await atCode(await service());
    expect(run.text()).toMatch(/^Later: svc payins confirm [0-9a-f-]{36}(?: |$)/m);
    await run.go('999999', /999999_/);
    await run.go(enter, /The pay-in failed\.[^]*Start another with the same data/);
    await run.go(enter, SUMMARY);
    await run.go(enter, /4:5\d left/);
    const keys = [...run.text().matchAll(/Idempotency-Key: ([0-9a-f]{32})/g)].map((match) => match[1]);
    expect(new Set(keys).size).toBe(2);
    await run.go('123456', /123456_/);
    await run.go(enter, /Confirmed/);
    await expectEnd(run, 0);
  });

  it('repeats a lost create with its key', async () => {
    const sandbox = await service();
    await sandbox.control('faults', fault('payins.create', 'drop-after', 3));
    const run = openTerminal(['payins', 'create', '-i', ...WHOLE], { env: sandbox.env });
    await run.shows(SUMMARY);
    await run.go(enter, /No answer came\.[^]*> Repeat it with the same key/);
    await run.go(enter, /left\./);
    const keys = [...run.text().matchAll(/Idempotency-Key: ([0-9a-f]{32})/g)].map((match) => match[1]);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
    await run.go('123456', /123456_/);
    await run.go(enter, /Confirmed/);
    await expectEnd(run, 0);
  });

  it('can be left while a create is under way: the key says how to go on', async () => {
    const sandbox = await service();
    await sandbox.control('faults', { ...fault('payins.create', 'delay'), delay_ms: 20_000 });
    const run = openTerminal(['payins', 'create', '-i', ...WHOLE], { env: sandbox.env });
    await run.shows(SUMMARY);
    await run.go(enter, /Creating the pay-in \(1 s\)/);
    run.press(ctrlC);
    await expectEnd(run, 130);
    expect(run.text()).toMatch(/Next: svc requests repeat -- [0-9a-f]{32}/);
  });

  it('fits 40 columns when the terminal shrinks', async () => {
    const run = await atCode(await service());
    run.pty.resize(40, 30);
    await run.go('123', /ends this pay-in: check[ it]*\n/);
    // Three lines of the frame were wider than 40 columns, so it had three rows more.
    expect(run.all()).toContain('\u001b[3A\u001b[J');
    await run.go('4', /1234_[^]*-[0-9a-f]{12}\s*\n/);
    const lines = plain(run.all().slice(run.all().lastIndexOf('[?2026h'))).split('\n');
    expect(lines.length).toBeGreaterThan(5);
    for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(40);
    await run.go(escape, /as it was/);
    await expectEnd(run, 8);
    expect(run.text()).not.toContain('Error');
  });
});

describe('a payout at a terminal', () => {
  const PAYOUT = [
    ...['--country', 'VE', '--method', 'mobile_payment', '--amount', '10.00'],
    ...['--beneficiary', 'document.type=V', '--beneficiary', 'document.number=12345678'],
    ...['--beneficiary', 'bank_code=0102'],
  ];
  const live = async (...flags: string[]): Promise<TerminalRun> => {
    const { env, control } = await service();
    const { api_key: key } = await control('keys', { company: 'default', environment: 'live' });
    const whole = [...PAYOUT, '--beneficiary', 'account_number=04121234567'];
    const line = ['payouts', 'create', ...flags, '--live', '--insecure-loopback', ...whole];
    return openTerminal(line, { env: { ...env, SVC_API_KEY: key } });
  };

  it('asks for what is missing, shows it masked, sends it and shows the outcome', async () => {
    const { env } = await service();
    const run = openTerminal(['payouts', 'create', ...PAYOUT], { env });
    await run.shows(/Bank: 0102 {2}Banco [^]*Account number \(5 of 5\)/);
    await run.go('0412 123 4567', /4567_ ok/);
    await run.go(enter, /Send[^]*Enter: send it/);
    expect(run.text()).toMatch(/Account number +\*\*\*4567/);
    expect(run.text()).toMatch(/Bank +0102 {2}Banco /);
    await run.go(enter, /Confirmed: 10\.00 VES/);
    await expectEnd(run, 0);
    expect(run.text()).toContain('Payout ');
  });

  it('takes the word where the money is real, and leaves without a payment otherwise', async () => {
    const run = await live('-i');
    await run.shows(/LIVE: real money[^]*Type yes/);
    await run.go(enter, /Real money: type yes/);
    expect(run.text()).not.toContain('04121234567');
    await run.go(escape, /as it was/);
    await expectEnd(run, 13);
    expect(run.text()).toContain('Nothing was sent.');
    expect(run.text()).not.toContain('Error');
  });

  it('is confirmed with the same masking where everything was given', async () => {
    const run = await live();
    await run.asks(/Type yes: /);
    expect(run.text()).toContain('***4567');
    expect(run.text()).toContain('***5678');
    expect(run.text()).not.toMatch(/04121234567|12345678/);
    run.press('no\r');
    expect(await run.ended).toBe(13);
    expect(run.text()).not.toContain('Error');
  });
});

describe('Ctrl-C', () => {
  it('at a question leaves before anything was sent; with NO_COLOR in no colour', async () => {
    const { env } = await service();
    const run = openTerminal(['payins', 'create', ...GIVEN], { env: { ...env, NO_COLOR: '1' } });
    await run.shows(/Amount/);
    run.press(ctrlC);
    await expectEnd(run, 130);
    expect(run.text()).toContain('Nothing was sent');
    expect(run.text()).not.toContain('Error');
    expect(run.all()).not.toMatch(/\[[0-9;]*m/);
  });

  it('at the code leaves the pay-in, with its id and the command to go on', async () => {
    const sandbox = await service();
    const run = await atCode(sandbox);
    run.press(ctrlC);
    await expectEnd(run, 130);
    const [, id = ''] = /Next: svc payins confirm ([0-9a-f-]{36})/.exec(run.text()) ?? [];
    const later = openTerminal(['payins', 'confirm', id], { env: sandbox.env });
    await later.shows(/left\./);
    await later.go('123456', /123456_/);
    await later.go(enter, /Confirmed/);
    await expectEnd(later, 0);
  });

  it('has a sister: TERM restores the terminal too', async () => {
    const run = await atCode(await service());
    process.kill(-run.pty.pid, 'SIGTERM');
    await expectEnd(run, 143);
  });
});

describe('who is asked', () => {
  it.each([['-o', 'table'], ['--no-input']])('nobody with %s %s', async (...flags) => {
    const run = openTerminal(['payins', 'create', ...GIVEN, ...flags]);
    expect(await run.ended).toBe(2);
    expect(run.text()).toContain('payer.document.number');
    expect(run.all()).not.toContain('[?25l');
  });

  it('nobody on a terminal that cannot move its cursor, and -i says so', async () => {
    const asked = openTerminal(['payins', 'create', '-i'], { env: { TERM: 'dumb' } });
    expect(await asked.ended).toBe(2);
    expect(asked.text().replace(/\s+/g, ' ')).toContain('With TERM=dumb, set ACCESSIBLE=1');
  });
});

describe('a profile at a terminal', () => {
  it('asks for address and key, shows stars, and tries the key', async () => {
    const { env } = await service();
    const key = env.SVC_API_KEY;
    const run = openTerminal(['profiles', 'add', 'shop']);
    await run.shows(/production address[^]*Esc: leave/);
    await run.go('ftp://x', /x_/);
    await run.go(enter, /must begin with https/);
    await run.go('\u007f'.repeat(7) + env.SVC_BASE_URL, new RegExp(`${env.SVC_BASE_URL}_`));
    await run.go(enter, /API key/);
    await run.go(pasted(key), /\*{20,}_/);
    await run.go(enter, /Try the key now/);
    await run.go(enter, /The service accepted the key \(sandbox\)/);
    await expectEnd(run, 0);
    expect(run.all()).not.toContain(key);
    expect(run.text()).toContain('shop');
  });

  async function homeWithShop(env: Readonly<Record<string, string>>): Promise<string> {
    const home = testFolder();
    const added = await shell(`svc profiles add shop --base-url ${env['SVC_BASE_URL']!}`, home);
    expect(added.code, added.stderr).toBe(0);
    return home;
  }

  it('has its key set where the advice to set it is printed', async () => {
    const { env } = await service();
    const home = await homeWithShop(env);
    const advised = openTerminal(['balances'], { home });
    expect(await advised.ended).toBe(4);
    const [, advice = ''] = /Next: svc (.*)\n/.exec(advised.text()) ?? [];
    expect(advice).toBe('profiles set-key shop');
    const run = openTerminal(advice.split(' '), { home });
    await run.shows(/API key[^]*Esc: leave/);
    await run.go(enter, /This contains no key/);
    await run.go(pasted(env.SVC_API_KEY), /\*{20,}_/);
    await run.go(enter, /Try the key now/);
    await run.go(enter, /The service accepted the key \(sandbox\)/);
    await expectEnd(run, 0);
    expect(run.all()).not.toContain(env.SVC_API_KEY);
    const read = openTerminal(['balances'], { home });
    expect(await read.ended).toBe(0);
  });

  it.each([
    ['add', 'shop', 'already'],
    ['set-key', 'nobody', 'no profile nobody'],
  ])('%s %s is refused before anything is asked', async (command, name, why) => {
    const { env } = await service();
    const run = openTerminal(['profiles', command, name], { home: await homeWithShop(env) });
    expect(await run.ended).toBe(2);
    expect(run.text()).toContain(why);
    expect(run.all()).not.toContain('[?25l');
  });
});
