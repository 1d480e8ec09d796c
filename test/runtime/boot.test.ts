import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { systemBoot } from '../../src/runtime/clock.js';

describe.skipIf(process.platform !== 'linux')('the boot of this machine', () => {
  it('is the one that the kernel names, however often it is asked', () => {
    const named = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    expect([systemBoot().bootId, systemBoot().bootId]).toEqual([named, named]);
  });

  it('was that long ago', () => {
    const [seconds = ''] = readFileSync('/proc/uptime', 'utf8').split(' ');
    const { bootMs } = systemBoot();
    expect(bootMs).toBeGreaterThanOrEqual(Math.round(Number(seconds) * 1000) - 10);
    expect(systemBoot().bootMs).toBeGreaterThanOrEqual(bootMs);
  });
});
