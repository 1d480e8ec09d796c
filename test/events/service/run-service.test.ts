import { expect, it } from 'vitest';
import { systemdNotify } from '../../../src/events/service/run-service.js';
import '../../support/starting.js';

it('that nobody can hear is complained of once', async () => {
  const said: string[] = [];
  const send = systemdNotify({ PATH: '/nowhere', NOTIFY_SOCKET: '/nowhere/socket' }, (text) => {
    said.push(text);
    return Promise.resolve();
  });
  await send(['READY=1']);
  await send(['STOPPING=1']);
  expect(said).toEqual([expect.stringMatching(/^systemd-notify is not on the PATH, so /)]);
});
