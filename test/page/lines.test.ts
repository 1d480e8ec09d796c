import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readArgv } from '../../src/command/line/argv.js';
import { VOCABULARY } from '../../src/registry.js';
import { actionsFor, DISARM_COMMAND, PRESETS, CLOCK_STEPS } from '../../src/sandbox/page/actions.js';
import { pingCommand, RESET_COMMAND, type PageAction } from '../../src/sandbox/page/actions.js';
import { controlCall, curlLine, serviceCall, svcCommandLine } from '../../src/sandbox/page/call.js';
import type { CompanyJson, OperationItem } from '../../src/sandbox/page/answers.js';
import { ROOT } from '../house/source.js';
import { HOSTILE_WORDS, wordsOf as shellWords } from '../support/typed.js';

const ORIGIN = 'http://127.0.0.1:4010';
const KEY = 'svc_test_0';
const HOSTILE = [...HOSTILE_WORDS, '[1-9]{a,b}', '@/etc/passwd', '\u202e\u05d0', '=ls'];

describe.each(HOSTILE)('with %j', (text) => {
  it('curl sends the very body, to the very path, with the very header', () => {
    const body = JSON.stringify({ text });
    const path = `/v2/${text}`;
    const call = { method: 'POST', path, body, key: KEY, headers: { 'X-A': text } };
    const words = shellWords(curlLine(ORIGIN, call), 'curl');
    expect(words.slice(0, 6)).toEqual(['-sS', '-g', '-X', 'POST', ORIGIN + path, '-H']);
    expect(words).toContain(`X-A: ${text}`);
    // Without `--data-raw`, curl takes a body that begins with `@` for the name of a file.
    expect(words.slice(-2)).toEqual(['--data-raw', body]);
  });

  it('svc is given the very words', () => {
    const words = ['payins', 'create', `--reference=${text}`];
    const call = serviceCall('POST', '/v2/payins', KEY, {});
    expect(shellWords(svcCommandLine(ORIGIN, { call, words }))).toEqual(words);
    const placed = [...words, '--base-url', ORIGIN];
    expect(shellWords(svcCommandLine(ORIGIN, { call: controlCall('ping', {}), words }))).toEqual(placed);
  });
});

it('bytes that are no text reach curl as they are', () => {
  const line = curlLine(ORIGIN, { method: 'POST', path: '/v2/payins', base64: '/w==', key: KEY });
  expect(line).toMatch(/^printf %s (['"]?)\/w==\1 \| base64 -d \| curl .* --data-binary @-$/);
});

it('a live key asks the live environment, by the button and by its line', () => {
  const call = serviceCall('GET', '/v2/balances', 'svc_live_0');
  expect(call.path).toBe('/v2/balances');
  expect(svcCommandLine(ORIGIN, { call, words: ['balances'] })).toBe(
    `SVC_BASE_URL=${ORIGIN} SVC_API_KEY=svc_live_0 SVC_ENV=live SVC_INSECURE_LOOPBACK=1 svc balances`,
  );
  expect(serviceCall('GET', '/v2/balances', KEY).path).toBe('/sandbox/v2/balances');
});

const COMPANY: CompanyJson = {
  ...{ name: 'default', environment: 'sandbox', balances: [], webhooks: [] },
  keys: [{ api_key: KEY, scopes: ['payins:crear', 'payouts:crear'], created_by: 'company' }],
};
const ID = '6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f';

function waiting(kind: 'code' | 'payment' | 'bank', type: 'payin' | 'payout'): OperationItem {
  const operation = {
    ...{ id: ID, type, method: 'm', country: 'VE', currency: 'VES', amount: '1.00' },
    ...{ status: 'pending' as const, pending_reason: null, failure: null, created_at: '', updated_at: '' },
  } as unknown as OperationItem['operation'];
  return {
    ...{ id: ID, environment: 'sandbox', company: 'default', direction: type, operation },
    waits_for: { kind, until: null },
  };
}

const manifest = JSON.parse(readFileSync(join(ROOT, 'oclif.manifest.json'), 'utf8')) as {
  commands: Record<string, { flags: Record<string, unknown> }>;
};

describe('every button', () => {
  const known = { companies: [COMPANY], code: '123456', nowMs: null };
  const row = ({ label, input: asked, make }: PageAction, of = '') =>
    [label + of, make(asked?.value ?? '').words] as const;
  const all = [waiting('code', 'payin'), waiting('payment', 'payin'), waiting('bank', 'payout')];

  it.each([
    ...all.flatMap((one) => actionsFor(one, known).map((action) => row(action, ` (${one.waits_for?.kind})`))),
    ...[...PRESETS, ...CLOCK_STEPS].map((action) => row(action)),
    ['Disarm', DISARM_COMMAND.words] as const,
    ['Reset', RESET_COMMAND.words] as const,
    ['Ping', pingCommand(COMPANY).words] as const,
  ])('%s is a command with flags that there are', (_name, words) => {
    const intent = readArgv(words, VOCABULARY);
    expect(intent.kind).toBe('run');
    if (intent.kind !== 'run') return;
    const { flags } = manifest.commands[intent.id.replaceAll(' ', ':')]!;
    const used = words.filter((word) => word.startsWith('--')).map((word) => word.slice(2).split('=', 1)[0]!);
    expect(used.filter((flag) => !(flag in flags))).toEqual([]);
  });

  it('is there for none that is final', () => {
    expect(actionsFor({ ...waiting('code', 'payin'), waits_for: null }, known)).toEqual([]);
  });
});
