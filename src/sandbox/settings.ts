import * as Flags from '@oclif/core/flags';
import { KEYS_OF_REFUSED, type KeysOfRefused } from '../contract/sandbox-code.js';
import type { CommandSandboxSettings } from './beside/sandbox.js';
import { Failure } from '../runtime/failure.js';

export const settingFlags = {
  code: Flags.string({ summary: 'The one valid code', helpValue: 'NNNNNN', default: '123456' }),
  'settle-after': Flags.string({
    summary: 'Seconds that payouts and direct_debit stay pending',
    helpValue: 'SECONDS',
    default: '0',
  }),
  'keys-of-refused': Flags.option({
    summary: 'Key of a refused create',
    options: KEYS_OF_REFUSED,
    default: 'forget',
  })(),
};

export interface TypedSettings {
  readonly code: string;
  readonly 'settle-after': string;
  readonly 'keys-of-refused': KeysOfRefused;
}

export const SETTLE_AFTER_MAX_S = 31_536_000;

export function readSettings(
  typed: TypedSettings,
): Required<Pick<CommandSandboxSettings, 'code' | 'settleAfterSeconds' | 'keysOfRefused'>> {
  const { code, 'settle-after': secondsText, 'keys-of-refused': keysOfRefused } = typed;
  const settleAfterSeconds = /^[0-9]{1,9}$/.test(secondsText) ? Number(secondsText) : NaN;
  const rangeText = `--settle-after must be a whole number from 0 to ${String(SETTLE_AFTER_MAX_S)}.`;
  if (!(settleAfterSeconds <= SETTLE_AFTER_MAX_S)) throw new Failure('usage', rangeText);
  if (!/^[0-9]{6}$/.test(code)) throw new Failure('usage', '--code must be six digits.');
  return { code, settleAfterSeconds, keysOfRefused };
}
