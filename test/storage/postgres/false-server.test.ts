import { afterEach, describe, expect, it } from 'vitest';
import { connect } from '../../../src/storage/postgres/connection.js';
import { systemClock } from '../../../src/runtime/clock.js';
import { listFeed, FEED_ENV, feedLine } from '../../support/feed-line.js';
import { type Asked, falsePostgres, type FalsePostgres, GONE } from '../../support/false-postgres.js';
import { startPostgres } from '../../support/postgres.js';
import { fresh } from '../../support/fresh.js';
import { type Result, world } from '../../support/svc.js';

const PASSWORD = 'c4nary-of-8f2e71';
const IN_CLEAR = 'it asks for the password in clear text or as MD5';
const UNKNOWN = 'svc does not understand it: Unknown authenticationOk message type';
const LETS_IN = 'it lets everybody in, although a password is set';

const QUESTIONS: [string, Asked[][], string][] = [
  ['cleartext', [['cleartext']], IN_CLEAR],
  ['md5', [['md5']], IN_CLEAR],
  ['cleartext behind an attempt by SCRAM', [['scram'], ['cleartext']], IN_CLEAR],
  ['md5 behind an attempt by SCRAM', [['scram'], ['md5']], IN_CLEAR],
  ['SCRAM and cleartext at once', [['scram', 'cleartext']], IN_CLEAR],
  ['another SASL and md5 at once', [['otherSasl', 'md5']], ''],
  ['GSSAPI', [['gss']], UNKNOWN],
  ['SSPI', [['sspi']], UNKNOWN],
  ['Kerberos behind an attempt by SCRAM', [['scram'], ['kerberos']], UNKNOWN],
  ['what nobody knows, and cleartext at once', [['none', 'cleartext']], UNKNOWN],
  ['nothing', [['letIn']], LETS_IN],
  ['nothing more behind an attempt by SCRAM', [['scram'], ['letIn']], LETS_IN],
  ['nothing more, and says a proof that is none', [['scram'], ['final', 'letIn']], ''],
];

const home = fresh(world);

describe('a server that is not the one that is meant', () => {
  let server: FalsePostgres;
  afterEach(() => server.close());

  const isBeginning = ({ letter, text }: FalsePostgres['told'][number]): boolean =>
    letter === 'X' || (letter === 'p' && /^SCRAM-SHA-256\0.{4}n,,n=\*,r=[^,]+$/s.test(text));

  it.each(QUESTIONS)('that asks for %s is told nothing', async (_what, steps, said) => {
    server = await falsePostgres(steps);
    const address = `postgres://svc@127.0.0.1:${String(server.port)}/pay`;
    const env = { SVC_STATE_PASSWORD: PASSWORD };
    const state = await home.svc(['state', 'status', '--json', '--state-url', address], { env });
    expect(state.error()).toMatchObject({ exit_code: 16, outcome: 'not_sent' });
    const into = await home.svc(['events', 'tail', '--no-follow', '--into', address], {
      env: { ...FEED_ENV, SVC_INTO_PASSWORD: PASSWORD },
      transport: feedLine(listFeed([])),
    });
    expect(into.error()).toMatchObject({ exit_code: 16 });
    for (const run of [state, into]) {
      expect(run.error()['message']).toContain(said);
      if (said !== '')
        expect(run.error()).toMatchObject({ code: expect.stringMatching(/_unusable$/) as string });
      expect(run.stdout + run.stderr).not.toContain(PASSWORD);
    }
    expect(server.told.filter((message) => !isBeginning(message))).toEqual([]);
  });

  it.each([[], GONE])(
    'is asked for no proof where no password is set, and may be gone at once',
    async (last) => {
      server = await falsePostgres([['letIn']], Buffer.from(last));
      const user = { user: 'svc', password: '', database: 'pay', schema: 'svc', tls: null };
      const place = { host: '127.0.0.1', port: server.port, ...user };
      const how = { clock: systemClock, patienceMs: 0, statementMs: 200 };
      const connection = connect({ place, ...how, say: () => undefined });
      await expect(connection.runOnce('SELECT 1')).rejects.toThrow();
      await connection.close();
      if (last !== GONE) expect(server.told.map(({ letter }) => letter)).toContain('Q');
    },
  );
});

const real = await startPostgres();

describe.skipIf(real === null)('a real server', () => {
  it('asks by SCRAM and is told; once it asks in clear it is told no more', async () => {
    const { address, query, stop } = real!;
    const state = (): Promise<Result> => {
      const { user, port, database, password } = address;
      const url = `postgres://${user}@127.0.0.1:${String(port)}/${database}`;
      const env = { SVC_STATE_PASSWORD: password };
      return home.svc(['state', 'init', '--json', '--state-url', url], { env });
    };
    try {
      expect((await state()).json()).toMatchObject({ created: true });
      const [{ file } = { file: '' }] = await query("SELECT current_setting('hba_file') AS file");
      const rule = 'host all all 127.0.0.1/32';
      await query(`CREATE TABLE rules (line text); INSERT INTO rules VALUES ('${rule} password');
COPY rules TO '${String(file)}'; SELECT pg_reload_conf()`);
      const refused = await state();
      expect(refused.failure()).toBe('16 state_unusable');
      expect(refused.error()['message']).toContain('in clear text or as MD5');
    } finally {
      await stop();
    }
  });
});
