import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { keyPrint } from '../../src/session/address.js';
import { systemClock, systemRandom, type Random } from '../../src/runtime/clock.js';
import { pathsFrom } from '../../src/runtime/folders.js';
import { testFolder } from '../support/test-folder.js';

const KEY = 'svc_test_0123456789abcdef';
let home: string;
beforeEach(() => (home = testFolder()));

const machine = (random: Pick<Random, 'hex'> = systemRandom, at = home) => ({
  paths: pathsFrom({}, () => at),
  clock: systemClock,
  random,
});
const salt = (): string => join(home, '.local/state/svc/key-print.salt');

it('tells keys apart, and is the same whenever it is made', async () => {
  const print = await keyPrint(machine(), KEY);
  expect(print).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(await keyPrint(machine(), KEY)).toBe(print);
  expect(await keyPrint(machine(), `${KEY}0`)).not.toBe(print);
});

it('is another one on another machine', async () => {
  const elsewhere = machine(systemRandom, testFolder());
  expect(await keyPrint(elsewhere, KEY)).not.toBe(await keyPrint(machine(), KEY));
});

it('is HMAC-SHA-256 under 32 bytes that are private', async () => {
  const print = await keyPrint(machine({ hex: (count) => '2a'.repeat(count) }), KEY);
  expect(print).toBe('pjAJOS42VW2hCar30Nhxn8gwFCSL5T95QIInemeyXv0');
  expect([...readFileSync(salt())]).toEqual(Array.from({ length: 32 }, () => 0x2a));
  expect(statSync(salt()).mode & 0o777).toBe(0o600);
});

it('of processes that begin at once have one salt', async () => {
  let made = 0;
  const random = { hex: (count: number) => String(10 + made++).repeat(count) };
  const prints = await Promise.all(Array.from({ length: 6 }, () => keyPrint(machine(random), KEY)));
  expect(new Set(prints).size).toBe(1);
  expect(made).toBe(1);
});

it.each([
  ['short', () => writeFileSync(salt(), 'short')],
  ['empty', () => writeFileSync(salt(), '')],
  ['open to others', () => chmodSync(salt(), 0o644)],
])('are not made with a salt that is %s', async (_how, spoil) => {
  await keyPrint(machine(), KEY);
  spoil();
  await expect(keyPrint(machine(), KEY)).rejects.toMatchObject({ exitCode: 16 });
});
