import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readArgv } from '../../../src/command/line/argv.js';
import { suggestion } from '../../../src/command/line/vocabulary.js';
import { COMMAND_IDS, VOCABULARY } from '../../../src/registry.js';
import { Failure } from '../../../src/runtime/failure.js';

const read = (...argv: string[]) => readArgv(argv, VOCABULARY);
const failureOf = (...argv: string[]): Failure => {
  try {
    read(...argv);
  } catch (error) {
    if (error instanceof Failure) return error;
  }
  throw new Error('no failure');
};

describe('commands', () => {
  it.each<[string[], string, string[]]>([
    [['payins', 'get', 'ID'], 'payins get', ['ID']],
    [['payin', 'get', 'ID'], 'payins get', ['ID']],
    [['payins', 'resend-code', 'ID'], 'payins resend', ['ID']],
    [['payin', 'resend-code', 'ID'], 'payins resend', ['ID']],
    [['method'], 'methods', []],
    [['bank', '--country', 'VE'], 'banks', ['--country', 'VE']],
    [['balance'], 'balances', []],
    [['capability'], 'capabilities', []],
    [['transaction', 'get', 'ID'], 'transactions get', ['ID']],
    [['event', 'list', '--all'], 'events list', ['--all']],
    [['profile', 'list'], 'profiles list', []],
    [['sandbox', 'clock', 'advance', '48h'], 'sandbox clock', ['advance', '48h']],
    [['api', 'GET', '/v2/x'], 'api', ['GET', '/v2/x']],
    [['--json', 'balances'], 'balances', ['--json']],
    [['-o', 'json', 'payins', 'get', 'ID'], 'payins get', ['-o', 'json', 'ID']],
    [['-ojson', 'payins', 'get', 'ID'], 'payins get', ['-ojson', 'ID']],
    [['--output=csv', 'banks'], 'banks', ['--output=csv']],
    [['payins', '--json', 'get', 'ID', '--wait'], 'payins get', ['--json', 'ID', '--wait']],
    [['-p', 'payins', 'balances'], 'balances', ['-p', 'payins']],
    [['payins', 'create', '--data', '-'], 'payins create', ['--data', '-']],
  ])('%j is %s', (argv, id, rest) => expect(read(...argv)).toEqual({ kind: 'run', id, argv: rest }));

  it.each<[string[], string]>([
    [[], ''],
    [['help'], ''],
    [['--help'], ''],
    [['payin', '--help'], 'payins'],
    [['payins'], 'payins'],
    [['help', 'payin'], 'payins'],
    [['payin', 'help'], 'payins'],
    [['help', 'payin', 'create'], 'payins create'],
    [['payins', 'create', '--amount', '1', '-h'], 'payins create'],
    [['help', 'method'], 'methods'],
    [['payins', 'get', 'ID', '--help'], 'payins get'],
  ])('%j is help for "%s"', (argv, path) => expect(read(...argv)).toEqual({ kind: 'help', path }));

  it('leaves --help behind -- to the command', () => expect(read('api', '--', '--help').kind).toBe('run'));

  it.each([[['--version']], [['-v']], [['version']]])('%j is the version', (argv) => {
    expect(read(...argv)).toEqual({ kind: 'version' });
  });
});

describe('refusals', () => {
  it.each([
    [['payins', 'get', 'svc_live_abc']],
    [['--profile', 'svc_test_abc', 'balances']],
    [['help', 'svc_live_abc']],
    [['payins', 'create', '--data', '{"k":"xsvc_test_1"}']],
    [['--', 'SVC_LIVE_abc']],
    [['balances', '--api-key', 'sk_abc']],
    [['--api-key=sk_abc', 'balances']],
    [['payouts', 'create', '--amount', '1', '--API-KEY=sk_abc']],
    [['login', '--apikey', 'sk_abc']],
  ])('refuses a key in %j and does not echo it', (argv) => {
    const { exitCode, message } = failureOf(...argv);
    expect(exitCode).toBe(2);
    expect(message).toContain('Set SVC_API_KEY');
    expect(message).not.toMatch(/svc_(live|test)_|sk_abc/i);
  });

  it('leaves the key of another program behind -- to it', () => {
    expect(read('sandbox', 'exec', '--', 'shop', '--api-key', 'sk_abc').kind).toBe('run');
  });

  it.each([
    [['payns', 'create'], 'payins create'],
    [['payouts', 'creat'], 'payouts create'],
    [['balanecs'], 'balances'],
    [['sandbox', 'stat'], 'sandbox status'],
  ])('suggests for %j', (argv, meant) => {
    expect(failureOf(...argv).message).toContain(`Did you mean "svc ${meant}"?`);
  });

  it('suggests nothing for what is like nothing', () => {
    expect(suggestion('zzzzzzzzzz', COMMAND_IDS)).toBeNull();
    expect(failureOf('zzzzzzzzzz').message).toContain('svc help all');
  });

  it.each(['--nonsense balances', 'payins --nonsense', 'help nonsense'])('%s is usage', (line) => {
    expect(failureOf(...line.split(' ')).exitCode).toBe(2);
  });
});

it('reads any command line or fails as usage, never otherwise', () => {
  const word = fc.oneof(
    fc.constantFrom(...'payin payins get help --json -o -p -- --help sandbox clock -x'.split(' ')),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), (argv) => {
      try {
        const intent = readArgv(argv, VOCABULARY);
        if (intent.kind === 'run') expect(COMMAND_IDS).toContain(intent.id);
      } catch (error) {
        expect(error).toBeInstanceOf(Failure);
        expect((error as Failure).kind).toBe('usage');
      }
    }),
  );
});
