import { beforeEach, describe, expect, it } from 'vitest';
import { payout } from '../support/requests.js';
import { shell } from '../support/program.js';
import { testFolder } from '../support/test-folder.js';

let home: string;
beforeEach(() => (home = testFolder()));

const PAYOUT = payout().join(' ');

it('runs embedded with nothing configured, one command after the other', async () => {
  const { code, stdout, stderr } = await shell(
    `svc ${PAYOUT} --jq .id && svc --json payouts get "$(svc events list --jq '.events[0].data.id' --quiet)"`,
    home,
  );
  expect(code, stderr).toBe(0);
  const [id = '', body = ''] = stdout.trimEnd().split('\n');
  expect(JSON.parse(body)).toMatchObject({ id, status: 'confirmed' });
});

describe('a reader that goes away', () => {
  it('is no failure, and no stack: | head -1', async () => {
    const line = 'svc capabilities | head -c 1 >&2; echo "${PIPESTATUS[0]}"; svc methods -o ndjson | head -1';
    const { code, stdout, stderr } = await shell(line, home);
    const [status, first = ''] = stdout.split('\n');
    expect([code, status]).toEqual([0, '0']);
    expect(JSON.parse(first)).toHaveProperty('code');
    expect(stderr).not.toMatch(/ at |EPIPE|rror/);
  });

  it('of standard error changes nothing of what is done', async () => {
    const { code, stdout } = await shell(`svc ${PAYOUT} --jq .status 2> >(true)`, home);
    expect([code, stdout]).toEqual([0, 'confirmed\n']);
    const closed = await shell(`svc ${PAYOUT} --jq .status 2>&-`, home);
    expect([closed.code, closed.stdout]).toEqual([0, 'confirmed\n']);
  });
});

it('says that a full disk kept the answer, and that the request was carried out', async () => {
  const { code, stderr } = await shell(`svc ${PAYOUT} > /dev/full`, home);
  expect(code, stderr).toBe(16);
  const { error } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '') as {
    error: Record<string, unknown>;
  };
  expect(error).toMatchObject({ exit_code: 16, outcome: 'sent', code: 'local_state' });
  expect(error['idempotency_key']).toMatch(/^[0-9a-f]{32}$/);
  expect(error['message']).toMatch(/disk is full/i);
  expect(stderr).not.toMatch(/^ +at /m);
});

it('shows no key of its environment in what it starts, writes or says', async () => {
  const env = {
    SVC_API_KEY: 'svc_test_CANARY123456',
    SVC_BASE_URL: 'http://127.0.0.1:9',
    DEBUG: '*',
    NODE_DEBUG: 'http,net',
  };
  const { code, stdout, stderr } = await shell('svc balances --debug --timeout 2s', home, { env });
  expect([code, stdout]).toEqual([11, '']);
  expect(stderr).not.toContain('CANARY');
});

describe('eight at once on a fresh store', () => {
  it('with one key make one payout, and every one of them gets it', async () => {
    const line = `seq 8 | xargs -P8 -I{} bash -c 'svc ${PAYOUT} --idempotency-key samekey1 --jq .id' ; svc events list --all -q .data.id`;
    const { code, stdout, stderr } = await shell(line, home);
    expect(code, stderr).toBe(0);
    const ids = stdout.trimEnd().split('\n');
    expect(ids, stderr).toHaveLength(9);
    expect(new Set(ids).size).toBe(1);
  });
});
