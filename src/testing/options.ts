/** What a sandbox for a test is started with, read and judged: a test in JavaScript has no compiler that would. */
import type { TestSandboxOptions } from './types.js';

const NAMES: readonly string[] = ['port', 'code', 'live', 'settleAfterSeconds'];
const PORT_MAX = 65_535;

/** @throws TypeError */
export function readOptions(options: TestSandboxOptions): Required<TestSandboxOptions> {
  const unknown = Object.keys(options).find((name) => !NAMES.includes(name));
  if (unknown !== undefined)
    throw new TypeError(`startSandbox has no option ${unknown}: there are ${NAMES.join(', ')}`);
  const { port = 0, code = '123456', live = false, settleAfterSeconds = 0 } = options;
  if (port !== null && !isWhole(port, PORT_MAX))
    throw new TypeError(`port must be a whole number from 0 to ${String(PORT_MAX)}, or null for none`);
  if (typeof code !== 'string' || !/^[0-9]{6}$/.test(code)) throw new TypeError('code must be six digits');
  if (typeof live !== 'boolean') throw new TypeError('live is true or false');
  if (!isWhole(settleAfterSeconds, Number.MAX_SAFE_INTEGER / 1000))
    throw new TypeError('settleAfterSeconds must be a whole number');
  return { port, code, live, settleAfterSeconds };
}

function isWhole(value: unknown, max: number): boolean {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= max;
}
