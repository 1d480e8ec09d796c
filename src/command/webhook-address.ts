/** Whose signing secrets a command line means: address and environment, found without a key and without opening anything. */
import type { Environment } from '../contract/access.js';
import { readAddress } from '../profile/address.js';
import { chooseValues } from '../profile/choices.js';
import { isNothingConfigured } from '../profile/resolver.js';
import { readSettings } from '../profile/settings-file.js';
import type { Target } from '../profile/target.js';
import type { Ports } from '../runtime/ports.js';
import type { GlobalFlags } from './base.js';

/** What stands for the address of the sandbox inside svc; no address of a service is written like it. */
const EMBEDDED = 'embedded';

/** Under which the secrets of registered urls are kept. */
export interface WebhookAddress {
  /** The production address, or what stands for the embedded sandbox. */
  readonly address: string;
  readonly environment: Environment;
}

/** That of a target. */
export function webhookAddressOf(target: Target): WebhookAddress {
  const { environment } = target;
  return { address: target.kind === 'embedded' ? EMBEDDED : target.baseUrl, environment };
}

/**
 * That of a command line which sends nothing; null where no address is configured and it is not the embedded sandbox either.
 * @throws Failure `usage`, `unsafe` or `local_state` for flags, variables and settings that name no address
 */
export function findWebhookAddress(ports: Ports, flags: GlobalFlags): WebhookAddress | null {
  const { profile, live, sandbox, 'base-url': baseUrl } = flags;
  const settings = readSettings(ports.paths);
  const input = { flags: { profile, live, sandbox, baseUrl }, env: ports.env, settings };
  const choices = chooseValues(input);
  if (isNothingConfigured(choices, input)) return { address: EMBEDDED, environment: 'sandbox' };
  if (choices.baseUrl === null) return null;
  const { baseUrl: address } = readAddress(choices.baseUrl.value, choices.baseUrl.name);
  return { address, environment: choices.environment.value };
}
