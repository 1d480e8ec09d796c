import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/runtime/failure.js';
import { pathsFrom } from '../../src/runtime/folders.js';

const none = (): null => null;

describe('the folders', () => {
  it.each<[string, Record<string, string>, string]>([
    ['below HOME', { HOME: '/home/a' }, '/home/a/.local/state/svc'],
    ['below XDG_STATE_HOME', { HOME: '/home/a', XDG_STATE_HOME: '/var/x' }, '/var/x/svc'],
    ['not below a relative one', { HOME: '/home/a', XDG_STATE_HOME: 'x' }, '/home/a/.local/state/svc'],
    ["in the account's home without HOME", {}, '/account/.local/state/svc'],
    ["in the account's home where HOME is empty", { HOME: '' }, '/account/.local/state/svc'],
    ["in the account's home where HOME is relative", { HOME: 'a' }, '/account/.local/state/svc'],
  ])('are %s', (_what, env, state) => expect(pathsFrom(env, () => '/account').state).toBe(state));

  it('are refused where there is no home at all, and only when they are asked for', () => {
    const paths = pathsFrom({ XDG_STATE_HOME: '/var/x', HOME: '' }, none);
    expect(paths.state).toBe('/var/x/svc');
    expect(() => paths.data).toThrow(Failure);
    expect(() => paths.data).toThrow(
      /Set HOME or XDG_DATA_HOME to a folder that is kept\. Nothing was sent\./,
    );
  });

  it('are all in the one that SVC_HOME names, and no other variable counts', () => {
    const env = { SVC_HOME: tmpdir(), HOME: '/home/a', XDG_STATE_HOME: '/var/x' };
    expect({ ...pathsFrom(env, none) }).toEqual({
      ...{ config: join(tmpdir(), 'config'), data: join(tmpdir(), 'data') },
      ...{ state: join(tmpdir(), 'state'), cache: join(tmpdir(), 'cache') },
    });
  });

  it.each([
    ['', 'usage', /SVC_HOME is not an absolute path/],
    ['books', 'usage', /SVC_HOME is not an absolute path/],
    ['/no/such/folder', 'local_state', /SVC_HOME names a folder that does not exist/],
    [process.execPath, 'local_state', /SVC_HOME names a folder that does not exist/],
  ])('are refused where SVC_HOME is %j, and only when they are asked for', (home, kind, message) => {
    const paths = pathsFrom({ SVC_HOME: home, HOME: '/home/a' }, none);
    expect(() => paths.state).toThrow(expect.objectContaining({ kind }) as Failure);
    expect(() => paths.config).toThrow(message);
  });
});
