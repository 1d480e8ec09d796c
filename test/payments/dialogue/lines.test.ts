import { describe, expect, it } from 'vitest';
import type { State } from '../../../src/payments/dialogue/dialogue.js';
import { readLine, stepText, timeLineOf } from '../../../src/payments/dialogue/lines/face.js';
import { openServer } from '../../sandbox/wire/wire.js';
import { openTerminal, plain, RESTORED, type TerminalRun } from '../../support/terminal.js';
import {
  atCode,
  BANKS,
  ended,
  endOf,
  FAILED,
  key,
  operation,
  play,
  SETTING,
  started,
  WHOLE,
} from './given.js';
import { testFolder } from '../../support/test-folder.js';

const COLOUR = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');
const CTRL_C = '\u0003';
const CTRL_D = '\u0004';

function typed(state: State, ...lines: readonly string[]): State {
  return lines.reduce((before, line) => {
    const read = readLine(before, line);
    return 'messages' in read ? play(before, ...read.messages) : before;
  }, state);
}

describe('a typed line', () => {
  const PLACE = { country: 'VE', currency: 'VES', method: 'debit_otp' };

  it('answers every question, in words, numbers and codes', () => {
    const setting = { ...SETTING, toAsk: ['country', 'currency', 'method'] };
    const filled = typed(started({}, setting), 'venez', '1', '10.00', 'V', '12345678');
    const whole = typed(play(filled, BANKS), '0102', '0412 123 4567');
    expect(whole.step.step).toBe('summary');
    expect(whole.answers).toEqual(WHOLE);
  });

  it('goes back, keeps what stands there, and leaves', () => {
    const second = typed(started(PLACE), '10.00');
    const back = typed(second, 'back');
    expect(stepText(back).lines.join('\n')).toContain('Enter alone keeps 10.00');
    expect(typed(back, '')).toEqual(second);
    expect(endOf(typed(second, 'leave'))).toBe('left');
    expect(endOf(typed(second, '\u001b'))).toBe('left');
  });

  it('is asked about where more than one bank fits, and where none does', () => {
    const at = play(started({ ...WHOLE, 'payer.bank_code': 'none' }), BANKS);
    expect(readLine(at, 'banco')).toHaveProperty('list.length', expect.any(Number));
    expect(readLine(at, 'xyz')).toHaveProperty(
      'reply',
      expect.stringContaining('No entry of the list matches'),
    );
    expect(typed(at, '0105').answers['payer.bank_code']).toBe('0105');
    expect(typed(at, 'mercan').answers['payer.bank_code']).toBe('0105');
  });

  it('creates nothing without a yes', () => {
    for (const line of ['', 'no', 'y e s', '1']) expect(typed(started(), line).step.step).toBe('summary');
    expect(typed(started(), 'yes').step).toMatchObject({ step: 'busy', call: 'create' });
    const live = started(WHOLE, { ...SETTING, isLive: true, mustSayYes: true });
    for (const line of ['', 'y', 'no']) expect(typed(live, line).step.step).toBe('summary');
    expect(typed(live, 'YES').step).toMatchObject({ step: 'busy', call: 'create' });
  });

  it('is a code, or asks for another one, and is never sent twice by Enter alone', () => {
    expect(typed(atCode(), '').step).toHaveProperty('notice', 'Type the code first.');
    expect(typed(atCode(), '123456').step).toMatchObject({ step: 'busy', call: 'confirm' });
    expect(typed(atCode(), 'new').step).toMatchObject({ step: 'busy', call: 'resend' });
    const doubted = typed(atCode(), '12345');
    expect(doubted.step).toMatchObject({ step: 'code', text: '12345' });
    expect(typed(doubted, '').step).toMatchObject({ step: 'busy', call: 'confirm' });
    expect(typed(doubted, '123456').step).toMatchObject({ step: 'busy', call: 'confirm' });
  });

  it('chooses what to do after a failure by its number', () => {
    const confirming = typed(atCode(), '999999');
    const failed = play(confirming, ended(confirming, operation(FAILED)));
    expect(readLine(failed, '9')).toHaveProperty('reply');
    expect(typed(failed, '1').step.step).toBe('summary');
    expect(typed(failed, '2').step.step).toBe('fields');
    expect(endOf(typed(failed, '3'))).toBe('finished');
    expect(endOf(typed(play(failed, key('down')), '3'))).toBe('finished');
  });
});

it('says how long the code is valid seldom, and once each', () => {
  let state = atCode();
  const said: string[] = [];
  for (let second = 1; second <= 310; second += 1) {
    const next = play(state, { type: 'tick', nowMs: second * 1000 });
    const line = timeLineOf(state, next);
    if (line !== null) said.push(line);
    state = next;
  }
  expect(said).toEqual([
    ...['4 minutes', '3 minutes', '2 minutes', '1 minute', '30 seconds', '10 seconds'].map(
      (left) => `The payer has a code, valid for ${left}.`,
    ),
    'The code has expired.',
  ]);
});

async function service(): Promise<Record<string, string>> {
  const { server, sandbox } = await openServer();
  return { SVC_BASE_URL: `http://127.0.0.1:${server.port}`, SVC_API_KEY: sandbox.apiKey, ACCESSIBLE: '1' };
}

async function expectPlain(run: TerminalRun, exitCode: number): Promise<void> {
  expect(await run.ended, run.text()).toBe(exitCode);
  expect(run.all()).toContain(RESTORED);
  const dialogue = run.all().split(RESTORED)[0]!;
  expect(plain(dialogue)).toBe(dialogue.replaceAll(COLOUR, '').replaceAll('\r', ''));
  expect(dialogue).not.toMatch(/[\u2190-\u2bff\u2800-\u28ff]/);
}

describe('in a terminal', () => {
  const GIVEN = ['payins', 'create', '--country', 'VE', '--method', 'debit_otp'];

  it.each([
    ['what is configured: nothing', [], /^Embedded sandbox: nothing is configured, so no money moves\.\n/],
    ['the sandbox, where notes are left out', ['--quiet'], /^Sandbox: no money moves\.\n/],
  ])('says once %s', async (_what, flags, first) => {
    const run = openTerminal([...GIVEN, ...flags], { env: { ACCESSIBLE: '1' } });
    await run.asks(/Amount in VES: $/);
    expect(run.text()).toMatch(first);
    expect(run.text().match(/no money moves/g)).toHaveLength(1);
    run.press(CTRL_C);
    await expectPlain(run, 130);
  });

  it.each(['xterm-256color', 'dumb'])('a whole pay-in by code is done on %s', async (TERM) => {
    const run = openTerminal(GIVEN, { env: { ...(await service()), TERM } });
    await run.asks(
      /^Sandbox: no money moves\.\n[^]*Amount in VES \(1 of 5\)\. Enter an amount from 1\.00 to 500000\.00, for example 1500\.50\.[^]*Amount in VES: $/,
    );
    await run.answers('ten', /Not valid\. Enter an amount[^]*Amount in VES: $/);
    await run.answers('10.50', /Document type \(2 of 5\)[^]*1\. V\n[^]*Document type: $/);
    await run.answers('v', /Document number: $/);
    expect(run.text()).not.toContain('Enter alone keeps');
    await run.answers('12345678', /1\. 0102 {2}Banco[^]*Bank: $/);
    await run.answers('mercan', /Phone: $/);
    await run.answers('0412 123 4567', /Bank: 0105 {2}Banco Mercantil[^]*Type yes to create it/);
    expect(run.text()).toContain('Document number: ***5678');
    await run.answers('yes', /valid for (5 minutes|4 minutes and)[^]*One wrong code ends[^]*Code: $/);
    expect(run.text()).toMatch(/^Idempotency-Key: [0-9a-f]{32}$/m);
    await run.answers('12345', /5 characters[^]*Code: $/);
    await run.answers('new', /A new code was sent[^]*4 left[^]*Code: $/);
    await run.answers('123 456', /Confirmed: 10\.50 VES, bank reference [0-9]{8}/);
    await expectPlain(run, 0);
  });

  it('a wrong code ends it, and the choices are numbered', async () => {
    const whole = Object.entries(WHOLE).flatMap(([path, value]) =>
      path.startsWith('payer.') ? ['--payer', `${path.slice(6)}=${value}`] : [],
    );
    const run = openTerminal([...GIVEN, '-i', '--amount', '10.00', ...whole], { env: await service() });
    await run.asks(/Type yes to create it/);
    await run.answers('', /Type yes, back or leave[^]*leave: $/);
    await run.answers('yes', /Code: $/);
    await run.answers('999999', /The pay-in failed\.[^]*1\. Start another with the same data[^]*Number: $/);
    run.press('3\r');
    await expectPlain(run, 9);
  });

  it.each([
    ['leave\r', 13],
    [CTRL_C, 130],
    [CTRL_D, 13],
  ])('is left by %j before anything was sent', async (keys, exitCode) => {
    const run = openTerminal(GIVEN, { env: await service() });
    await run.asks(/Amount in VES: $/);
    run.press(keys);
    await expectPlain(run, exitCode);
    expect(run.text()).toContain('Nothing was sent.');
    expect(run.text()).not.toContain('Error');
  });

  it('a profile is added, and of its key nothing is shown', async () => {
    const env = await service();
    const home = testFolder();
    const run = openTerminal(['profiles', 'add', 'shop'], { home, env: { ACCESSIBLE: '1' } });
    await run.asks(/production address[^]*leave: $/);
    await run.answers('ftp://x', /must begin with https[^]*leave: $/);
    await run.answers(env['SVC_BASE_URL']!, /API key[^]*nothing of it is shown[^]*leave: $/);
    await run.answers(env['SVC_API_KEY']!, /Try the key now[^]*leave: $/);
    await run.answers('', /The service accepted the key \(sandbox\)/);
    await expectPlain(run, 0);
    expect(run.text()).not.toContain(env['SVC_API_KEY']!);
    const again = openTerminal(['profiles', 'set-key', 'shop'], { home, env: { ACCESSIBLE: '1' } });
    await again.asks(/API key[^]*leave: $/);
    again.press(CTRL_C);
    await expectPlain(again, 130);
    expect(again.text()).toContain('Nothing was stored');
  });
});
