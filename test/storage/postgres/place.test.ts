import { describe, expect, it } from 'vitest';
import { readPlace } from '../../../src/storage/postgres/place.js';
import { holdsStatePassword, secretsOfState, sourceOf } from '../../../src/storage/postgres/source.js';
import type { Failure } from '../../../src/runtime/failure.js';

interface Given {
  readonly flag?: string;
  readonly profile?: string;
  readonly stored?: string;
  readonly text?: string;
}

const hidden: string[] = [];
const read = (env: Record<string, string>, { flag, profile, stored, text }: Given = {}) => {
  const source = sourceOf({ flag, env, profile: { name: 'shop', state: profile } });
  if (source === null) return null;
  return readPlace(source, {
    env,
    readSecret: (path) => text ?? `the text of ${path}`,
    storedPassword: stored === undefined ? null : () => Promise.resolve(stored),
    ca: () => null,
    hide: (secrets) => hidden.push(...secrets),
  });
};
const failure = (env: Record<string, string>, given: Given = {}): Failure => {
  try {
    read(env, given);
  } catch (error) {
    return error as Failure;
  }
  throw new Error('it was taken');
};

describe('where the shared state is', () => {
  it('is nowhere unless it is said', () => {
    expect(read({})).toBeNull();
    expect(read({ SVC_STATE: 'local' })).toBeNull();
  });

  it('comes in parts, its password out of any of three places', () => {
    const host = { host: 'db.internal', port: 5432, database: 'pay', schema: 'svc' };
    expect(read({ SVC_STATE: 'postgres://a%20b:p%40ss@db.internal/pay' })).toMatchObject({
      place: { ...host, user: 'a b', password: 'p@ss', tls: { ca: null } },
      address: 'postgres://a%20b@db.internal/pay',
      name: 'SVC_STATE',
    });
    expect(hidden).toEqual(expect.arrayContaining(['p@ss', 'p%40ss']));
    const plain = { SVC_STATE: 'postgresql://u@[::1]:6000/pay?schema=s%201' };
    expect(read({ ...plain, SVC_STATE_PASSWORD: 'x' })).toMatchObject({
      place: { host: '::1', port: 6000, password: 'x', schema: 's 1', tls: null },
      address: 'postgres://u@[::1]:6000/pay?schema=s%201',
    });
    const file = read({ ...plain, SVC_STATE_PASSWORD_FILE: '/f' });
    expect(file?.place.password).toBe('the text of /f');
    expect(read({ SVC_STATE_FILE: '/f' }, { text: 'postgres://u:p@h/d' })).toMatchObject({
      place: { password: 'p', host: 'h' },
    });
  });

  it('is said by the flag first, then by a variable, then by the profile', () => {
    const profile = 'postgres://u@of-profile/d';
    const env = { SVC_STATE: 'postgres://u@of-variable/d' };
    expect(read(env, { flag: 'postgres://u@of-flag/d', profile })?.place.host).toBe('of-flag');
    expect(read(env, { profile })?.place.host).toBe('of-variable');
    expect(read({}, { profile })).toMatchObject({ place: { host: 'of-profile' }, name: 'profile shop' });
    expect(read(env, { flag: 'local', profile })).toBeNull();
    expect(read({ SVC_STATE: 'local' }, { profile })).toBeNull();
    expect(read({ SVC_STATE_FILE: '/f' }, { profile, text: 'local' })).toBeNull();
    expect(read({ ...env, SVC_STATE_FILE: '/f' })?.place.host).toBe('of-variable');
    const passwords = { SVC_STATE_PASSWORD: 'said', SVC_STATE_PASSWORD_FILE: '/f' };
    expect(read({ ...env, ...passwords })?.place.password).toBe('said');
    expect(failure(env, { flag: '' }).exitCode).toBe(2);
  });

  it('asks who comes at each connection: a file may say another one by then', async () => {
    const texts = ['postgres://u:one@h/d', 'postgres://v:two@h/d', 'postgres://v@h/d'];
    let at = 0;
    const source = { kind: 'path', text: '/f', name: 'SVC_STATE_FILE' } as const;
    const env: Record<string, string> = {};
    const parts = {
      ...{ env, storedPassword: null, ca: () => null },
      readSecret: (path: string) => (path === '/f' ? texts[at]! : 'three'),
      hide: (secrets: readonly string[]) => hidden.push(...secrets),
    };
    const { login } = readPlace(source, parts)!.place;
    expect(login!()).toEqual({ user: 'u', password: 'one' });
    at = 1;
    expect(login!()).toEqual({ user: 'v', password: 'two' });
    at = 2;
    env['SVC_STATE_PASSWORD_FILE'] = '/p';
    expect(login!()).toEqual({ user: 'v', password: 'three' });
    expect(hidden).toEqual(expect.arrayContaining(['two', 'three']));
    const kept = read({}, { profile: 'postgres://u@h/d', stored: 'kept' })!.place.login!();
    expect(await (kept.password as () => Promise<string>)()).toBe('kept');
    const over = read({ SVC_STATE_PASSWORD: 'x' }, { profile: 'postgres://u@h/d', stored: 'kept' });
    expect(over!.place.login!().password).toBe('x');
  });

  it('takes no password where others can read it, and keeps none in a profile', () => {
    for (const given of [{ flag: 'postgres://u:secret@h/d' }, { profile: 'postgres://u:secret@h/d' }]) {
      const { exitCode, message } = failure({}, given);
      expect(exitCode).toBe(2);
      expect(message).not.toContain('secret');
    }
    expect(failure({ SVC_STATE: 'postgres://u@h/d', SVC_STATE_PASSWORD: '' }).exitCode).toBe(2);
  });

  it.each([
    ['', 'is set but empty'],
    ['mysql://u:secret@h/d', 'is not a postgres:// address'],
    ['postgres://h/d', 'is not complete'],
    ['postgres://u:secret@h', 'is not complete'],
    ['postgres://u:secret@h/d?sslrootcert=x', 'has a parameter other than'],
    ['postgres://u:%zz@h/d', 'write % as %25'],
    ['postgres:u:secret@h/d', 'is not a postgres:// address'],
    ['postgres://u:secret@h/d e', 'is not a postgres:// address'],
    ['postgres://u:secret@h\\\\d', 'is not a postgres:// address'],
    ["'postgres://u:secret@h/d'", 'is not a postgres:// address'],
    ['postgres://u:secret@h:99999/d', 'is not a postgres:// address'],
    ['postgres://u:secret@one,two/d', 'names several hosts'],
    ['postgres://u:secret@h/d/e', 'is not complete'],
    ['postgres://u:12#secret@h/d', 'is not complete'],
    ['postgres://u:secret@h/d?schema=a&schema=b', 'has a parameter other than'],
    ['postgres://u:secret@h/d?schema=', 'names an empty schema'],
  ])('%s is refused, and not repeated', (text, why) => {
    const { exitCode, message } = failure({ SVC_STATE: text });
    expect(exitCode).toBe(2);
    expect(message).toContain(why);
    expect(message).not.toContain('secret');
  });

  it('is encrypted off this machine, whatever is asked for', () => {
    for (const mode of ['disable', 'allow', 'prefer']) {
      const url = `postgres://u@h/d?sslmode=${mode}`;
      const { exitCode, facts } = failure({ SVC_STATE: url });
      expect([exitCode, facts.code]).toEqual([13, 'state_not_encrypted']);
    }
    expect(read({ SVC_STATE: 'postgres://u@h/d?sslmode=require' })?.place.tls).toEqual({ ca: null });
    expect(read({ SVC_STATE: 'postgres://u@127.0.0.1/d?sslmode=disable' })?.place.tls).toBeNull();
    const full = read({ SVC_STATE: 'postgres://u@localhost/d?sslmode=verify-full' });
    expect(full?.place.tls).toEqual({ ca: null });
  });

  it('has its secrets known before anything of it is used', () => {
    const env = { SVC_STATE: 'x://u:a%40bc@h', SVC_STATE_PASSWORD: 'cdef' };
    expect(secretsOfState(env, [])).toEqual(['cdef', 'a%40bc', 'a@bc']);
    expect(secretsOfState({ SVC_INTO_PASSWORD: 'of the tables' }, [])).toEqual(['of the tables']);
    expect(secretsOfState({ SVC_STATE: 'postgres://u:%zzz@h' }, [])).toContain('%zzz');
    expect(secretsOfState({}, ['--state-url=postgres://u:p/a@s#s@h/d'])).toContain('p/a@s#s');
    expect(secretsOfState({ SVC_STATE_PASSWORD: 'pas' }, ['a:b:cdef@g'])).toEqual([]);
  });

  it('is told from an address without a password, whatever flag it is given to', () => {
    for (const word of ['postgres://u:p@h/d', '--state-url=POSTGRESQL://u:p@h:1/d', 'postgres:u:p@h'])
      expect(holdsStatePassword(word)).toBe(true);
    for (const word of ['postgres://u@h:5432/d', 'psql postgres://u:p@h/d', '--state-url', 'local', 'a:b@c'])
      expect(holdsStatePassword(word)).toBe(false);
  });
});
