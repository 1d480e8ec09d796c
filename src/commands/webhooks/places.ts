/** Whose signing secrets a command line means, found without a key and without opening or sending anything. */
import { ENVIRONMENTS } from '../../contract/access.js';
import { readAddress, serviceUrl } from '../../profile/address.js';
import { chooseValues } from '../../profile/choices.js';
import { isNothingConfigured } from '../../profile/target.js';
import { readSettings } from '../../profile/settings-file.js';
import type { Ports } from '../../runtime/ports.js';
import { EMBEDDED, type ServiceAddress } from '../../cli/session/address.js';
import type { GlobalFlags } from '../../cli/command.js';

/**
 * The place of a command line first, then the same address in the other environment; none where no address is configured
 * and it is not the embedded sandbox either.
 * @throws Failure `usage`, `unsafe` or `local_state` for flags, variables and settings that name no address
 */
export function findPlaces(ports: Ports, flags: GlobalFlags): readonly ServiceAddress[] {
  const { profile, live, sandbox, 'base-url': baseUrl } = flags;
  const settings = readSettings(ports.paths);
  const input = { flags: { profile, live, sandbox, baseUrl }, env: ports.env, settings };
  const choices = chooseValues(input);
  if (isNothingConfigured(choices, input)) return [EMBEDDED];
  if (choices.baseUrl === null) return [];
  const address = readAddress(choices.baseUrl.value, choices.baseUrl.name);
  const ours = choices.environment.value;
  return [ours, ...ENVIRONMENTS.filter((other) => other !== ours)].map((environment) => ({
    address: serviceUrl(address, environment),
    environment,
  }));
}
