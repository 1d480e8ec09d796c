import { spawn } from 'node:child_process';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { COMMAND, environment, shell } from '../support/program.js';
import { integrity } from '../support/database-dump.js';
import { payout } from '../support/requests.js';
import { sandboxesOf } from '../support/sandbox-here.js';
import { eachWorld, world } from '../support/svc.js';

const home = eachWorld();
const start = sandboxesOf(home);
let state: string;
beforeEach(async () => {
  expect(await home.svc([...payout(), '--reference', 'order-1'])).toMatchObject({ exitCode: 0 });
  state = (await home.svc('sandbox export')).stdout;
});

const file = (content: string | Uint8Array, name = 'state.json'): string => {
  const path = join(home.home, name);
  writeFileSync(path, content);
  return path;
};
const count = async (): Promise<unknown> => (await home.svc('sandbox status')).json()['operations'];

describe('a state', () => {
  it('is put back from a file and from standard input, with the same bytes', async () => {
    const path = file(state);
    await home.svc([...payout(), '--reference', 'order-2']);
    expect(await count()).toBe(2);
    const result = await home.svc(['sandbox', 'import', path]);
    expect(result).toMatchObject({ exitCode: 0 });
    expect(result.json()).toMatchObject({ imported: true, operations: 1, events: 1 });
    expect((await home.svc('sandbox export')).stdout).toBe(state);
    await home.svc('sandbox reset');
    expect(await home.svc('sandbox import -', { stdin: `\ufeff${state}` })).toMatchObject({ exitCode: 0 });
    expect((await home.svc('sandbox export')).stdout).toBe(state);
  });

  it('takes with it what svc knew of the sandbox, as a reset does', async () => {
    await home.svc('events sync');
    const result = await home.svc(['sandbox', 'import', file(state)]);
    const dropped = 'Dropped what svc knew of this sandbox: 1 request and 1 operation from events.';
    expect(result.stderr).toContain(dropped);
    expect((await home.svc('operations list --offline --json')).json()['operations']).toEqual([]);
  });

  it('is filtered by --jq, and is JSON at a terminal too', async () => {
    expect((await home.svc('sandbox export --jq .svc_sandbox_state')).stdout).toBe('1\n');
    const { stdout } = await home.svc('sandbox export', { tty: { stdout: true } });
    expect(stdout).toContain('"svc_sandbox_state"');
  });

  it('has a schema, which is the one that is shipped', async () => {
    const { stdout } = await home.svc('sandbox export --schema');
    expect(stdout).toBe(readFileSync('docs/sandbox-state.schema.json', 'utf8'));
  });
});

describe('import refuses', () => {
  const CASES: readonly (readonly [what: string, given: () => string, said: string])[] = [
    ['a folder', () => home.home, 'is a folder: give a file'],
    ['no file', () => join(home.home, 'none.json'), 'There is no file'],
    ['an empty file', () => file(''), 'Line 1: There is nothing in it.'],
    ['a key', () => file(state.replace('"order-1"', '"svc_live_CANARY01234"')), 'a live key of a real'],
    [
      'a file of 200 MB',
      () => {
        const path = file('{"svc_sandbox_state":1', 'large.json');
        truncateSync(path, 200_000_000);
        return path;
      },
      'A state has at most 128 MiB',
    ],
  ];
  it.each(CASES)('%s, and changes nothing', async (_what, given, said) => {
    const result = await home.svc(['sandbox', 'import', given()]);
    expect(result).toMatchObject({ exitCode: 14, stdout: '' });
    expect(result.stderr).toContain(said);
    expect(result.stderr).toContain('Nothing was changed.');
    expect(result.stderr).not.toContain('CANARY');
    expect((await home.svc('sandbox export')).stdout).toBe(state);
  });

  it('says at a terminal each thing on a line of its own', async () => {
    const wrong = state
      .replace('"wait":', '"wai":')
      .replace('"due_at":null', '"due_at":"x"')
      .replace('"resends":0', '"resends":-1');
    const { stderr } = await home.svc(['sandbox', 'import', file(wrong)], { tty: { stderr: true } });
    expect(stderr).toMatch(/^ *Line \d+, operations\[0\]\.internal\.resends: Must be a whole number/m);
    expect(stderr).toMatch(/^ *Line \d+, operations\[0\]\.internal\.due_at: Must be/m);
  });
});

describe('through the server that owns the store', () => {
  it('a state goes out and in, larger than a body of the service may be; its key is the one that commands use then', async () => {
    const other = world();
    const exported = (await other.svc('sandbox export')).stdout;
    other.remove();
    const big = JSON.parse(exported) as { api_key: string; companies: object[] };
    for (let index = 0; index < 20_000; index += 1) {
      const keys = [{ key: `svc_test_${String(index)}` }];
      big.companies.push({ name: `company ${String(index)}`, environment: 'sandbox', keys });
    }
    const { at, ready, stop } = await start();
    const wire = { wire: true };
    expect((await home.svc('sandbox export', wire)).stdout).toContain(`"api_key": "${ready['api_key']!}"`);
    const result = await home.svc(['sandbox', 'import', file(JSON.stringify(big))], wire);
    expect([result.exitCode, result.stderr]).toEqual([0, expect.stringContaining('Dropped')]);
    expect(result.json()).toMatchObject({ companies: 20_001, api_key: big.api_key });
    expect(await home.svc('balances', wire)).toMatchObject({ exitCode: 0 });
    expect(await home.svc('balances', at)).toMatchObject({ exitCode: 4 });
    await stop();
    expect(await home.svc('balances')).toMatchObject({ exitCode: 0 });
  }, 60_000);

  it('a seed is what it begins with, whatever was there', async () => {
    await home.svc('events sync');
    await home.svc([...payout(), '--reference', 'order-2']);
    const { ready, stop } = await start(`--json --seed ${file(state)}`);
    expect(ready['api_key']).toBe((JSON.parse(state) as { api_key: string }).api_key);
    expect((await home.svc('sandbox status', { wire: true })).json()).toMatchObject({ operations: 1 });
    expect((await stop()).stderr).toContain('Dropped what svc knew of this sandbox');
    expect(await count()).toBe(1);
  });

  it('a seed is what a reset goes back to, until the sandbox is started without it', async () => {
    const path = file(state);
    const wire = { wire: true };
    const { at, stop } = await start(`--json --seed ${path}`);
    await home.svc([...payout(), '--reference', 'order-2'], wire);
    await home.svc('sandbox clock advance 90d', wire);
    await home.svc(
      ['sandbox', 'import', file('{"svc_sandbox_state":1,"now":"2030-01-01T00:00:00Z","companies":[]}', 'a')],
      wire,
    );
    expect((await home.svc('sandbox reset', wire)).json()).toEqual({ reset: true });
    const past = (text: string): string => text.replace(/"now": .*|"moved_until": .*/g, '');
    expect(past((await home.svc('sandbox export', wire)).stdout)).toBe(past(state));
    expect((await home.svc('sandbox status', at)).json()['now']).toMatch(
      state.slice(state.indexOf('20')).slice(0, 10),
    );
    await stop();
    await start();
    expect((await home.svc('sandbox status', wire)).json()).toMatchObject({ operations: 1 });
    await home.svc('sandbox reset', wire);
    expect((await home.svc('sandbox status', wire)).json()).toMatchObject({ operations: 0 });
  });

  it('a wrong seed starts nothing, and changes nothing', async () => {
    const refused = await home.svc(`sandbox start --port 0 --seed ${file('{}')}`);
    expect(refused).toMatchObject({ exitCode: 14, stdout: '' });
    expect((await home.svc('sandbox export')).stdout).toBe(state);
  });
});

describe('processes', () => {
  const many = (name: string): string => {
    const value = JSON.parse(state) as { companies: object[] };
    for (let index = 0; index < 5000; index += 1)
      value.companies.push({ name: `${name} ${String(index)}`, environment: 'live' });
    return JSON.stringify(value);
  };
  const kept = async (): Promise<string> => (await home.svc('sandbox export --jq .companies[].name')).stdout;

  it('that are killed in the middle of an import leave the old state, or the new one, whole', async () => {
    const path = file(many('new'));
    const before = await kept();
    const seen = new Set<string>();
    const [program, ...words] = COMMAND;
    for (let waitMs = 100; waitMs < 1600; waitMs += 150) {
      const options = { env: environment(home.home), stdio: 'ignore' as const };
      const child = spawn(program, [...words, 'sandbox', 'import', path], options);
      const ended = new Promise((resolve) => child.once('close', resolve));
      setTimeout(() => child.kill('SIGKILL'), waitMs);
      await ended;
      expect(integrity(join(home.ports.paths.data, 'sandbox.db'))).toBe('ok');
      const after = await kept();
      seen.add(after === before ? 'old' : after.split('\n').length === 5002 ? 'new' : after.slice(0, 99));
      if (after !== before) await home.svc(['sandbox', 'import', file(state, 'old.json')]);
    }
    expect([...seen].filter((what) => what !== 'old' && what !== 'new')).toEqual([]);
    expect(seen).toContain('old');
  }, 120_000);

  it('that import at once leave one of the states, whole', async () => {
    file(many('one'), 'one.json');
    file(many('two'), 'two.json');
    const line = 'svc sandbox import "$HOME/one.json" & svc sandbox import "$HOME/two.json"; wait';
    const both = await shell(line, home.home);
    expect(both.stderr).not.toContain('error');
    const [, ...companies] = (await kept()).trim().split('\n');
    const names = new Set(companies.map((name) => name.split(' ')[0]));
    expect([...names]).toEqual([expect.stringMatching(/^(one|two)$/)]);
    expect(companies).toHaveLength(5000);
  }, 60_000);
});

it('exec begins with a seed, and its key is the one of the seed', async () => {
  file(state);
  const script =
    'svc sandbox exec --seed "$HOME/state.json" -- sh -c \'echo $SVC_API_KEY; curl -s "$SVC_CONTROL_URL/status"\'';
  const { code, stdout } = await shell(script, home.home);
  const [key, status] = stdout.split('\n');
  expect([code, key]).toEqual([0, (JSON.parse(state) as { api_key: string }).api_key]);
  expect(JSON.parse(status ?? '')).toMatchObject({ operations: 1 });
  expect(await shell('svc sandbox exec --seed "$HOME" -- true', home.home)).toMatchObject({ code: 14 });
});

it.each(['', '--live'])('exec resets to its seed, and its key stays good: %s', async (flag) => {
  file(state);
  const script = `curl -s -X POST $SVC_CONTROL_URL/reset; svc balances --json > /dev/null && svc sandbox status --jq .operations`;
  const { stdout } = await shell(
    `svc sandbox exec ${flag} --seed "$HOME/state.json" -- bash -c '${script}'`,
    home.home,
  );
  expect(stdout).toBe('{"reset":true}1\n');
});
