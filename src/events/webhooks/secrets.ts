import { closeSync, fstatSync, openSync } from 'node:fs';
import type { GlobalFlags } from '../../command/command.js';
import type { ServiceAddress } from '../../session/address.js';
import { unreadableText, namedFileFailure, shellPath } from '../../runtime/folders.js';
import { Failure, usageFailure } from '../../runtime/failure.js';
import { bufferedPipe } from '../../runtime/named-pipe.js';
import type { Ports } from '../../runtime/ports.js';
import { readFirstBytes } from '../../runtime/small-file.js';
import type { OtherSecret } from './suspects.js';
import { readSecrets } from './signing.js';
import { forwardingSecret } from './open-receiver.js';

const SECRET_VARIABLE = 'SVC_WEBHOOK_SECRET';

export type SecretFlags = GlobalFlags & { readonly 'secret-file'?: string | undefined };

export function hasSecrets({ env }: Ports, flags: SecretFlags): boolean {
  return flags['secret-file'] !== undefined || env[SECRET_VARIABLE] !== undefined;
}

export async function findSecrets(
  ports: Ports,
  flags: SecretFlags,
  nowMs: number,
): Promise<readonly string[]> {
  const file = flags['secret-file'];
  if (file !== undefined) {
    const { bytes, isShared } = startOfFile(file);
    if (bytes.length > FILE_MAX_BYTES) throw usageFailure(`--secret-file: ${file} is too long for a secret.`);
    if (isShared && !flags.quiet)
      await ports.errors.write(
        `Other users of this machine can read the secret: chmod 600 ${shellPath(file)}\n`,
      );
    return secretsIn(bytes.toString(), '--secret-file');
  }
  const text = ports.env[SECRET_VARIABLE];
  if (text !== undefined) return secretsIn(text, SECRET_VARIABLE);
  const [service] = await findAddresses(ports, flags);
  const { stores, secretsFor } = await openStores(ports);
  const storedSecrets =
    service === undefined ? null : await secretsFor(stores, service.address, service.environment, nowMs);
  if (storedSecrets !== null && storedSecrets.secrets.length > 0) return storedSecrets.secrets;
  const why =
    service === undefined
      ? 'no service address is configured'
      : `none is stored for this address (${service.environment})`;
  const note = storedSecrets?.note === null || storedSecrets === null ? '' : ` ${storedSecrets.note}`;
  throw new Failure(
    'usage',
    `There is no signing secret: ${why}.${note} Set ${SECRET_VARIABLE}, add --secret-file FILE, or register: svc webhooks register --url URL`,
  );
}

export async function signingSecret(ports: Ports, flags: SecretFlags): Promise<string> {
  const [newest] = hasSecrets(ports, flags) ? await findSecrets(ports, flags, ports.clock.now()) : [];
  return newest ?? forwardingSecret(ports);
}

export async function otherSecrets(
  ports: Ports,
  flags: SecretFlags,
  triedSecrets: readonly string[],
): Promise<OtherSecret[]> {
  try {
    const addresses = await findAddresses(ports, flags);
    const { stores, allSecrets } = await openStores(ports);
    const unusedSecrets: OtherSecret[] = [];
    for (const [at, { address, environment }] of addresses.entries()) {
      const name =
        at === 0
          ? `another secret registered for this address (${environment}): that one was replaced, or you gave a different one`
          : `the other environment's secret (${environment})`;
      const secrets = await allSecrets(stores, address, environment);
      for (const secret of secrets) if (!triedSecrets.includes(secret)) unusedSecrets.push({ secret, name });
    }
    return unusedSecrets;
  } catch (error) {
    if (error instanceof Failure) return [];
    throw error;
  }
}

async function openStores(ports: Ports) {
  const [{ systemStores }, { verifyingSecrets, allSecrets }] = await Promise.all([
    import('../../session/key-stores.js'),
    import('../../session/webhook-secrets.js'),
  ]);
  return { stores: systemStores(ports.paths, ports.clock), secretsFor: verifyingSecrets, allSecrets };
}

function secretsIn(text: string, name: string): readonly string[] {
  const result = readSecrets(text);
  if ('problem' in result) throw usageFailure(`${name} ${result.problem}.`);
  return result.secrets;
}

const FILE_MAX_BYTES = 4096;

function startOfFile(path: string): { bytes: Buffer; isShared: boolean } {
  let file: number | null = null;
  try {
    const pipe = bufferedPipe(path);
    if (pipe !== null) return { bytes: pipe, isShared: false };
    file = openSync(path, 'r');
    const bytes = readFirstBytes(file, FILE_MAX_BYTES + 1);
    const stats = fstatSync(file);
    return { bytes, isShared: stats.isFile() && (stats.mode & 0o077) !== 0 };
  } catch (error) {
    throw namedFileFailure(path, error, (code) =>
      usageFailure(`--secret-file: ${unreadableText(path, code)}.`, error),
    );
  } finally {
    if (file !== null) closeSync(file);
  }
}

async function findAddresses(ports: Ports, flags: GlobalFlags): Promise<readonly ServiceAddress[]> {
  const [{ ENVIRONMENTS }, { readAddress, readChoices, serviceUrl }] = await Promise.all([
    import('../../contract/access.js'),
    import('../../session/target.js'),
  ]);
  const choices = readChoices(ports, flags);
  if (choices.isNothingConfigured) return [(await import('../../session/address.js')).EMBEDDED_ADDRESS];
  if (choices.baseUrl === null) return [];
  const address = readAddress(choices.baseUrl.value, choices.baseUrl.name);
  const chosenEnvironment = choices.environment.value;
  const environments = [chosenEnvironment, ...ENVIRONMENTS.filter((other) => other !== chosenEnvironment)];
  return environments.map((environment) => ({ address: serviceUrl(address, environment), environment }));
}
