/** What `SVC_STATE` says: into parts, judged, and never repeated. */
import { describe, expect, it } from 'vitest';
import { readState, secretsOfState } from '../../src/state/place.js';
import type { Failure } from '../../src/runtime/failure.js';

const read = (env: Record<string, string>) => readState(env, (path) => `the text of ${path}`);
const failure = (env: Record<string, string>): Failure => {
  try {
    read(env);
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
    const place = {
      host: 'db.internal',
      port: 5432,
      user: 'a b',
      password: 'p@ss',
      database: 'pay',
      schema: 'svc',
    };
    expect(read({ SVC_STATE: 'postgres://a%20b:p%40ss@db.internal/pay' })).toEqual({
      place: { ...place, tls: { ca: null } },
      shown: 'postgres://a%20b@db.internal/pay',
      secrets: ['p@ss', 'p%40ss', 'p%40ss'],
    });
    const plain = { SVC_STATE: 'postgresql://u@[::1]:6000/pay?schema=s%201' };
    expect(read({ ...plain, SVC_STATE_PASSWORD: 'x' })).toMatchObject({
      place: { host: '::1', port: 6000, password: 'x', schema: 's 1', tls: null },
      shown: 'postgres://u@[::1]:6000/pay?schema=s%201',
    });
    expect(read({ ...plain, SVC_STATE_PASSWORD_FILE: '/f' })).toMatchObject({
      place: { password: 'the text of /f' },
    });
    expect(readState({ SVC_STATE_FILE: '/f' }, () => 'postgres://u:p@h/d')).toMatchObject({
      place: { password: 'p', host: 'h' },
    });
  });

  it.each([
    ['', 'is set, and empty'],
    ['mysql://u:secret@h/d', 'is no postgres:// address'],
    ['postgres://h/d', 'does not say all of it'],
    ['postgres://u:secret@h', 'does not say all of it'],
    ['postgres://u:secret@h/d?sslrootcert=x', 'has a parameter other than'],
    ['postgres://u:%zz@h/d', 'a % in it is %25'],
  ])('%s is refused, and not repeated', (text, why) => {
    const { exitCode, message } = failure({ SVC_STATE: text });
    expect(exitCode).toBe(2);
    expect(message).toContain(why);
    expect(message).not.toContain('secret');
  });

  it('is encrypted off this machine, whatever is asked for', () => {
    for (const mode of ['disable', 'allow', 'prefer']) {
      const url = `postgres://u@h/d?sslmode=${mode}`;
      expect(failure({ SVC_STATE: url })).toMatchObject({
        exitCode: 13,
        facts: { code: 'state_not_encrypted' },
      });
    }
    expect(read({ SVC_STATE: 'postgres://u@h/d?sslmode=require' })?.place.tls).toEqual({ ca: null });
    expect(read({ SVC_STATE: 'postgres://u@127.0.0.1/d?sslmode=disable' })?.place.tls).toBeNull();
    expect(read({ SVC_STATE: 'postgres://u@localhost/d?sslmode=verify-full' })?.place.tls).toEqual({
      ca: null,
    });
  });

  it('has its secrets known before anything of it is used', () => {
    expect(secretsOfState({ SVC_STATE: 'x://u:a%40b@h', SVC_STATE_PASSWORD: 'c' })).toEqual([
      'c',
      'a%40b',
      'a@b',
    ]);
    expect(secretsOfState({ SVC_STATE: 'postgres://u:%zz@h' })).toContain('%zz');
  });
});
