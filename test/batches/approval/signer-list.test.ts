import { expect, it } from 'vitest';
import { signerLines } from '../../../src/batches/approval/signer-list.js';

const KEY = 'AAAAC3NzaC1lZDI1NTE5AAAAIDZDNwpMvchLRUg9k+zHOfCHEGHw+fUo/iNTrrYaWLB2';

it('is read with names, roles, times and keys', () => {
  const lines = [
    ...['# those who sign', '', `maker@example.com namespaces="svc-payroll-plan" ssh-ed25519 ${KEY}`],
    `"both of them" namespaces="svc-payroll-plan,svc-payroll-approval",valid-before="20261220Z" ssh-ed25519 ${KEY} comment`,
    `deputy@example.com valid-after="202612201530",valid-before="20270107120000Z" sk-ssh-ed25519@openssh.com ${KEY}`,
    `*@example.com cert-authority,namespaces="svc-payroll-approval" ecdsa-sha2-nistp256 ${KEY}`,
    ...[`git@example.com NAMESPACES="git" ssh-ed25519 ${KEY}`, 'nobody@example.com'],
    `  #commented@example.com ssh-ed25519 ${KEY}`,
  ];
  const plain = { isAuthority: false, validBeforeMs: null, validAfterMs: null, key: KEY };
  expect(signerLines(Buffer.from(lines.join('\r\n')))).toEqual([
    { ...plain, number: 3, names: 'maker@example.com', roles: ['maker'] },
    {
      ...{ ...plain, number: 4, names: 'both of them', roles: ['maker', 'approver'] },
      validBeforeMs: Date.UTC(2026, 11, 20),
    },
    {
      ...{ ...plain, number: 5, names: 'deputy@example.com', roles: ['maker', 'approver'] },
      validAfterMs: Date.UTC(2026, 11, 20, 15, 30),
      validBeforeMs: Date.UTC(2027, 0, 7, 12),
    },
    { ...plain, number: 6, names: '*@example.com', roles: ['approver'], isAuthority: true },
    { ...plain, number: 7, names: 'git@example.com', roles: [] },
  ]);
});

it('has no time where that is none', () => {
  const line = `a valid-before="tomorrow",valid-after="20269999" ssh-ed25519 ${KEY}`;
  expect(signerLines(Buffer.from(line))).toMatchObject([{ validBeforeMs: null, validAfterMs: null }]);
});
