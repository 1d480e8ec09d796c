import { expect, it } from 'vitest';
import { expectRefusal } from '../support/expectations.js';
import { openWorld } from '../support/world.js';

it.each([
  'https://169.254.169.254/latest',
  'https://[fe80::1]/',
  'https://[fd00:ec2::254]/',
  'https://10.0.0.1/',
  'https://192.168.1.1/',
  'https://0.0.0.0/',
  'https://2852039166/',
  'https://0xa9fea9fe/',
  'https://0251.0376.0251.0376/',
  'https://169.254.43518/',
  'https://8.8.2056/',
  'https://134744072/',
  'https://[::ffff:169.254.169.254]/',
  'https://[::ffff:a9fe:a9fe]/',
  'https://[::ffff:8.8.8.8]/',
  'https://[2002:a9fe:a9fe::]/',
  'https://[64:ff9b::a9fe:a9fe]/',
  'https://metadata.google.internal/',
  'https://METADATA/',
  'https://instance-data/',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://127.1/',
  'http://example.com/hook',
  'http://127.0.0.1@example.com/hook',
  'http://127.0.0.1.example.com/hook',
  'ftp://127.0.0.1/hook',
])('not to %s', async (url) => {
  const world = await openWorld({ allowHttpWebhooks: true });
  const refused = await world.post('/v2/webhook-endpoints', { url });
  expectRefusal(refused, 'field_invalid', [{ field: 'url', code: 'invalid' }]);
});

it.each([
  'https://example.com/hook',
  'https://8.8.8.8/',
  'https://127.0.0.1:8443/',
  'https://[::1]/',
  'HTTPS://EXAMPLE.COM',
  'http://127.0.0.1:3000/hooks',
  'http://localhost:3000',
  'http://[::1]:9/hook',
])('to %s', async (url) => {
  const world = await openWorld({ allowHttpWebhooks: true });
  expect((await world.post('/v2/webhook-endpoints', { url })).status).toBe(201);
});
