/** The lines beside the buttons of the page, typed into a shell at a sandbox that is served: they do what the buttons do. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readArgv } from '../../src/cli/line/argv.js';
import { VOCABULARY } from '../../src/commands/registry.js';
import type { Logged, LoggedWhole } from '../../src/sandbox/log/logged.js';
import {
  actionsFor,
  again,
  DISARMING,
  PRESETS,
  CLOCK_STEPS,
  pingOf,
  registeringOf,
} from '../../src/sandbox/page/actions.js';
import { curlLine, svcOf, type Deed } from '../../src/sandbox/page/call.js';
import { bodyOf, createWords, examplesOf, type CountryJson } from '../../src/sandbox/page/catalog.js';
import type { CompanyJson, Listed } from '../../src/sandbox/page/answers.js';
import { shell } from '../support/program.js';
import { payinOf, payoutOf, serveProgram, type Served } from './served.js';

/** As a person may fill it in; a method that is drawn by none leaves it out. */
const MANDATE = { 'mandate.contract_id': 'C9', 'mandate.contract_date': '2026-01-31' };

describe('in a terminal', () => {
  let served: Served;
  beforeAll(async () => {
    served = await serveProgram({ flags: ['--settle-after', '3600'] });
  });
  afterAll(() => served.end());

  const listedOf = async (id: string): Promise<Listed> =>
    (await served.ask('GET', `/_control/operations/${id}`)) as unknown as Listed;
  const companies = async (): Promise<CompanyJson[]> =>
    ((await served.ask('GET', '/_control/companies')) as unknown as { companies: CompanyJson[] }).companies;
  const lineOf = async (
    id: string,
    label: string,
    value?: string,
  ): Promise<{ svc: string; curl: string }> => {
    const known = { companies: await companies(), code: '123456', nowMs: null };
    const action = actionsFor(await listedOf(id), known).find((one) => one.label === label)!;
    const deed = action.make(value ?? action.asked?.value ?? '');
    return { svc: svcOf(served.base, deed), curl: curlLine(served.base, deed.call) };
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
    const { countries } = (await served.ask('GET', '/sandbox/v2/capabilities')) as unknown as {
      countries: CountryJson[];
    };
    const [venezuela] = countries;
    for (const noun of ['payins', 'payouts'] as const)
      for (const method of (noun === 'payins' ? venezuela?.payin_methods : venezuela?.payout_methods) ?? []) {
        const filled = {
          noun,
          country: 'VE',
          method,
          amount: '10.00',
          values: examplesOf(method),
          beside: { ...MANDATE, reference: `r ${method.code}` },
        };
        const made = await served.ask('POST', `/sandbox/v2/${noun}`, bodyOf(filled));
        expect([method.code, made.error, made.method]).toEqual([method.code, undefined, method.code]);
        const mandate = { contract_id: 'C9', contract_date: '2026-01-31' };
        const isDrawn = method.code === 'direct_debit';
        expect(bodyOf(filled)).toEqual(
          expect.objectContaining(isDrawn ? { mandate } : { method: method.code }),
        );
        expect('mandate' in bodyOf(filled)).toBe(isDrawn);
        expect(createWords(filled).includes('--mandate')).toBe(isDrawn);
        expect(readArgv(createWords(filled), VOCABULARY)).toMatchObject({
          kind: 'run',
          id: `${noun} create`,
        });
      }
  });

  it('a request of the log is sent again with its key, or another, as it was', async () => {
    await served.ask('POST', '/sandbox/v2/payouts', payoutOf('again'));
    const { requests } = (await served.ask('GET', '/_control/requests?before=newest&limit=1')) as unknown as {
      requests: Logged[];
    };
    const logged = (await served.ask(
      'GET',
      `/_control/requests/${String(requests[0]?.id)}`,
    )) as unknown as LoggedWhole;
    const { code, stdout } = await shell(
      curlLine(served.base, again(logged, await companies())!),
      served.home,
    );
    expect([code, JSON.parse(stdout)]).toEqual([0, JSON.parse(logged.answer.body)]);
    const other = await shell(
      curlLine(served.base, again(logged, await companies(), crypto.randomUUID())!),
      served.home,
    );
    expect((JSON.parse(other.stdout) as { id: string }).id).not.toBe(
      (JSON.parse(stdout) as { id: string }).id,
    );
  });

  it('what is done to the sandbox as a whole is done by both lines', async () => {
    const { base, ask, home } = served;
    const run = async (deed: Deed, face: 'svc' | 'curl'): Promise<void> => {
      const line = face === 'svc' ? svcOf(base, deed) : curlLine(base, deed.call);
      const { code, stdout } = await shell(line, home);
      expect([line, code, stdout.includes('"error"')]).toEqual([line, 0, false]);
    };
    const ofControl = async (path: string) => (await ask('GET', `/_control/${path}`)) as unknown;
    const nowMs = async (): Promise<number> =>
      Date.parse(((await ofControl('clock')) as { now: string }).now);
    await run(registeringOf(served.key, 'http://127.0.0.1:8/hooks'), 'svc');
    await run(registeringOf(served.key, 'http://127.0.0.1:9/hooks'), 'curl');
    const armed: unknown[] = [];
    for (const face of ['svc', 'curl'] as const) {
      for (const { make } of PRESETS) await run(make(''), face);
      const { faults } = (await ofControl('faults')) as { faults: { id: number }[] };
      expect(faults).toHaveLength(PRESETS.length);
      armed.push(faults.map((fault) => ({ ...fault, id: 0 })));
      await run(DISARMING, face);
      expect(await ofControl('faults')).toEqual({ faults: [] });
      const beforeMs = await nowMs();
      for (const { make } of CLOCK_STEPS) await run(make(''), face);
      expect(await nowMs()).toBeGreaterThanOrEqual(beforeMs + 176_460_000);
      await run(pingOf({ name: 'default', environment: 'sandbox' }), face);
    }
    expect(armed[0]).toEqual(armed[1]);
    const { deliveries } = (await ofControl('deliveries')) as { deliveries: { type: string }[] };
    expect(deliveries.filter(({ type }) => type === 'test.ping')).toHaveLength(2);
  });
});
