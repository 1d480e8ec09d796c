import type * as Crypto from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { MachineTime } from '../contract/moment.js';

export interface Clock {
  now(): number;
  monotonic(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface MachineClock extends Clock {
  boot(): BootTime;
}

export async function sleepUnlessAborted(
  clock: Pick<Clock, 'sleep'>,
  ms: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  try {
    await clock.sleep(ms, signal);
    return true;
  } catch (error) {
    if (signal?.aborted === true) return false;
    throw error;
  }
}

/** Node fires a longer timer at once. */
const TIMER_MAX_MS = 2 ** 31 - 1;

export const systemClock: MachineClock = makeClock((timer) => timer);

export const backgroundClock: MachineClock = makeClock((timer) => timer.unref());

function makeClock(configure: (timer: NodeJS.Timeout) => NodeJS.Timeout): MachineClock {
  return {
    boot: systemBoot,
    now: () => Date.now(),
    monotonic: () => {
      const [seconds, nanoseconds] = process.hrtime();
      return seconds * 1e3 + nanoseconds / 1e6;
    },
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        let timer: NodeJS.Timeout;
        const abort = (): void => {
          clearTimeout(timer);
          reject(signal?.reason as Error);
        };
        const wait = (remainingMs: number): void => {
          const fire = (): void => {
            if (remainingMs > TIMER_MAX_MS) {
              wait(remainingMs - TIMER_MAX_MS);
              return;
            }
            signal?.removeEventListener('abort', abort);
            resolve();
          };
          timer = configure(setTimeout(fire, Math.min(remainingMs, TIMER_MAX_MS)));
        };
        wait(ms);
        if (signal?.aborted === true) abort();
        else signal?.addEventListener('abort', abort, { once: true });
      }),
  };
}

export function isoSeconds(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19) + 'Z';
}

export function httpDate(ms: number): string {
  return new Date(ms).toUTCString();
}

export interface Zone {
  offsetMinutes(atMs: number): number;
}

export const UTC: Zone = { offsetMinutes: () => 0 };

export const systemZone: Zone = { offsetMinutes: (atMs) => -new Date(atMs).getTimezoneOffset() };

export type Ticker = (ms: number, work: () => void) => () => void;

export const systemTicker: Ticker = (ms, work) => {
  const timer = setInterval(work, ms);
  timer.unref();
  return () => clearInterval(timer);
};

export function afterArrivals(work: () => void): void {
  setImmediate(work);
}

export type BootTime = Pick<MachineTime, 'bootId' | 'bootMs'>;

const LINUX_BOOT_ID = '/proc/sys/kernel/random/boot_id';
const SYSCTL = '/usr/sbin/sysctl';

let cachedBootId: string | null = null;
let lastReading = { bootMs: 0, readAtMs: -Infinity };

export function systemBoot(): BootTime {
  cachedBootId ??= readBootId();
  const nowMs = performance.now();
  if (nowMs - lastReading.readAtMs >= 1)
    lastReading = { bootMs: process.getBuiltinModule('node:os').uptime() * 1000, readAtMs: nowMs };
  return { bootId: cachedBootId, bootMs: lastReading.bootMs };
}

function readBootId(): string {
  if (process.platform === 'darwin') {
    const { spawnSync } = process.getBuiltinModule('node:child_process');
    const { stdout } = spawnSync(SYSCTL, ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8', timeout: 1000 });
    return parseBootId(stdout);
  }
  try {
    return parseBootId(readFileSync(LINUX_BOOT_ID, 'utf8'));
  } catch {
    return '';
  }
}

function parseBootId(text: string | null): string {
  return /^[0-9a-f-]{32,40}$/i.exec((text ?? '').trim())?.[0].toLowerCase() ?? '';
}

export interface Random {
  uuid(): string;
  hex(byteCount: number): string;
  /** A random number for jitter only, never for a secret. */
  fraction(): number;
}

function loadCrypto(): typeof Crypto {
  return process.getBuiltinModule('node:crypto');
}

export const systemRandom: Random = {
  uuid: () => loadCrypto().randomUUID(),
  hex: (byteCount) => loadCrypto().randomBytes(byteCount).toString('hex'),
  fraction: () => Math.random(),
};
