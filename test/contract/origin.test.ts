import { expect, it } from 'vitest';
import { canonicalOrigin } from '../../src/contract/access.js';

it.each([
  ['https://api.example.com', 'https://api.example.com'],
  ['https://API.Example.com:443/', 'https://api.example.com'],
  ['https://api.example.com/sandbox', 'https://api.example.com'],
  ['https://api.example.com:8443/tenant', 'https://api.example.com:8443'],
  ['http://localhost', 'http://localhost'],
  ['http://localhost:80', 'http://localhost'],
  ['http://localhost:4010/sandbox', 'http://localhost:4010'],
  ['http://LOCALHOST:4010', 'http://localhost:4010'],
  ['http://127.0.0.1:4010', 'http://localhost:4010'],
  ['http://127.1:4010', 'http://localhost:4010'],
  ['http://[::1]:4010', 'http://localhost:4010'],
  ['http://[0:0:0:0:0:0:0:1]:4010', 'http://localhost:4010'],
  ['https://127.0.0.1', 'https://localhost'],
  ['http://127.0.0.2:4010', 'http://127.0.0.2:4010'],
  ['embedded', 'embedded'],
  ['no address', 'no address'],
])('%s is %s', (address, origin) => {
  expect(canonicalOrigin(address)).toBe(origin);
  expect(canonicalOrigin(origin)).toBe(origin);
});
