import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { readArgv } from '../../src/command/line/argv.js';
import { VOCABULARY } from '../../src/registry.js';
import type { LogRow, LogEntry } from '../../src/sandbox/log/logged.js';
import {
  actionsFor,
  repeatCall,
  DISARM_COMMAND,
  PRESETS,
  CLOCK_STEPS,
} from '../../src/sandbox/page/actions.js';
import { pingCommand, registerCommand } from '../../src/sandbox/page/actions.js';
import { curlLine, svcCommandLine, type PageCommand } from '../../src/sandbox/page/call.js';
import type { Capabilities } from '../../src/contract/catalog.js';
import { bodyOf, createWords, examplesOf } from '../../src/sandbox/page/catalog.js';
import type { CompanyJson, OperationItem } from '../../src/sandbox/page/answers.js';
import { shell } from '../support/program.js';
import { HOSTILE_WORDS } from '../support/typed.js';
import type { Answered } from '../sandbox/support/answered.js';
import { payinOf, payoutOf, servedHere } from './served.js';

const MANDATE = { 'mandate.contract_id': 'C9', 'mandate.contract_date': '2026-01-31' };

describe('in a terminal', () => {
  const served = servedHere({ flags: ['--settle-after', '3600'] });

  const listedOf = (id: string) => served.ask<OperationItem>('GET', `/_control/operations/${id}`);
  const companies = async () =>
    (await served.ask<{ companies: CompanyJson[] }>('GET', '/_control/companies')).companies;
  const lineOf = async (id: string, label: string, value?: string) => {
    const known = { companies: await companies(), code: '123456', nowMs: null };
    const action = actionsFor(await listedOf(id), known).find((one) => one.label === label)!;
    const deed = action.make(value ?? action.input?.value ?? '');
    return { svc: svcCommandLine(served.base, deed), curl: curlLine(served.base, deed.call) };
  };

  it('the lines do what the buttons do', async () => {
    const code = await served.ask('POST', '/sandbox/v2/payins', payinOf('debit_otp', 'a'));
    const paid = await served.ask('POST', '/sandbox/v2/payins', payinOf('incoming_mobile_payment', 'b'));
    const failed = await served.ask('POST', '/sandbox/v2/payouts', payoutOf('c'));
    const settled = await served.ask('POST', '/sandbox/v2/payouts', payoutOf('d'));
    const lines = [
      (await lineOf(code.id, 'Confirm')).svc,
      (await lineOf(paid.id, 'Pay')).svc,
      (await lineOf(failed.id, 'Fail', 'rejected/other')).svc,
      (await lineOf(settled.id, 'Confirm')).curl,
    ];
    for (const line of lines) {
      const { code: exit, stderr } = await shell(line, served.home);
      expect([line, exit, stderr.includes('rror')]).toEqual([line, 0, false]);
    }
    const states = await Promise.all(
      [code, paid, failed, settled].map(async ({ id }) => (await listedOf(id)).operation),
    );
    expect(states.map(({ status }) => status)).toEqual(['confirmed', 'confirmed', 'failed', 'confirmed']);
    expect(states[2]?.failure?.code).toBe('rejected');
  });

  it('every method of the catalog can be created from its examples, by the form and by its line', async () => {
    const path = '/sandbox/v2/capabilities';
    const { countries } = await served.ask<Capabilities>('GET', path);
    const [venezuela] = countries;
    for (const noun of ['payins', 'payouts'] as const)
      for (const method of (noun === 'payins' ? venezuela?.payin_methods : venezuela?.payout_methods) ?? []) {
        const otherValues = { ...MANDATE, reference: `r ${method.code}` };
        const values = examplesOf(method);
        const filled = { noun, country: 'VE', method, amount: '10.00', values, otherValues };
        const made = await served.ask('POST', `/sandbox/v2/${noun}`, bodyOf(filled));
        expect([method.code, made.error, made.method]).toEqual([method.code, undefined, method.code]);
        const mandate = { contract_id: 'C9', contract_date: '2026-01-31' };
        const isDrawn = method.code === 'direct_debit';
        expect(bodyOf(filled)).toMatchObject(isDrawn ? { mandate } : { method: method.code });
        expect('mandate' in bodyOf(filled)).toBe(isDrawn);
        expect(createWords(filled).includes('--mandate')).toBe(isDrawn);
        const intent = { kind: 'run', id: `${noun} create` };
        expect(readArgv(createWords(filled), VOCABULARY)).toMatchObject(intent);
      }
  });

  it('a request of the log is sent again with its key, or another, as it was', async () => {
    await served.ask('POST', '/sandbox/v2/payouts', payoutOf('again'));
    const newest = '/_control/requests?before=newest&limit=1';
    const { requests } = await served.ask<{ requests: LogRow[] }>('GET', newest);
    const logged = await served.ask<LogEntry>('GET', `/_control/requests/${String(requests[0]?.id)}`);
    const run = async (key?: string) => {
      const call = repeatCall(logged, await companies(), key)!;
      const { code, stdout } = await shell(curlLine(served.base, call), served.home);
      return { code, answer: JSON.parse(stdout) as Answered };
    };
    const { code, answer } = await run();
    expect([code, answer]).toEqual([0, JSON.parse(logged.answer.body)]);
    expect((await run(crypto.randomUUID())).answer.id).not.toBe(answer.id);
  });

  it('what is done to the sandbox as a whole is done by both lines', async () => {
    const { base, ask, home } = served;
    const run = async (deed: PageCommand, face: 'svc' | 'curl'): Promise<void> => {
      const line = face === 'svc' ? svcCommandLine(base, deed) : curlLine(base, deed.call);
      const { code, stdout } = await shell(line, home);
      expect([line, code, stdout.includes('"error"')]).toEqual([line, 0, false]);
    };
    const ofControl = <T>(path: string) => ask<T>('GET', `/_control/${path}`);
    const nowMs = async () => Date.parse((await ofControl<{ now: string }>('clock')).now);
    await run(registerCommand(served.key, 'http://127.0.0.1:8/hooks'), 'svc');
    await run(registerCommand(served.key, 'http://127.0.0.1:9/hooks'), 'curl');
    const armed: unknown[] = [];
    for (const face of ['svc', 'curl'] as const) {
      for (const { make } of PRESETS) await run(make(''), face);
      const { faults } = await ofControl<{ faults: object[] }>('faults');
      expect(faults).toHaveLength(PRESETS.length);
      armed.push(faults.map((fault) => ({ ...fault, id: 0 })));
      await run(DISARM_COMMAND, face);
      expect(await ofControl('faults')).toEqual({ faults: [] });
      const beforeMs = await nowMs();
      for (const { make } of CLOCK_STEPS) await run(make(''), face);
      expect(await nowMs()).toBeGreaterThanOrEqual(beforeMs + 176_460_000);
      await run(pingCommand({ name: 'default', environment: 'sandbox' }), face);
    }
    expect(armed[0]).toEqual(armed[1]);
    const { deliveries } = await ofControl<{ deliveries: { type: string }[] }>('deliveries');
    expect(deliveries.filter(({ type }) => type === 'test.ping')).toHaveLength(2);
  });
});

it.each(HOSTILE_WORDS)('a body that is no text comes out of its line as it went in, with %j', (text) => {
  const bytes = Buffer.from(`\0\xff${text}`, 'latin1');
  const line = curlLine('http://127.0.0.1:4010', {
    ...{ method: 'POST', path: '/', base64: bytes.toString('base64') },
  });
  expect(execFileSync('sh', ['-c', `curl() { cat; }; ${line}`])).toEqual(bytes);
});
