import { isIP } from 'node:net';
import { Failure, usageFailure } from '../../runtime/failure.js';
import { type ResolveName, classifyAddress } from '../../runtime/network.js';

/** Connect only to the addresses of `addressesOf`, because the address of a name may change. */
export async function readDestination(
  text: string,
  allowsRemote: boolean,
  resolveName: ResolveName,
): Promise<{ readonly url: string; readonly addressesOf: ResolveName }> {
  const url = parseUrl(text);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const check = (addresses: readonly string[]): readonly string[] => {
    const reaches = addresses.map(classifyAddress);
    if (reaches.includes('forbidden')) {
      throw refusal(
        `--to is a private, link-local or reserved address (${host}). svc does not deliver there.`,
      );
    }
    if (reaches.includes('public')) {
      if (!allowsRemote)
        throw refusal(
          `--to is not on this machine (${url.hostname}). If you mean that host, add --allow-remote.`,
        );
      if (url.protocol !== 'https:')
        throw refusal('--to is http on another machine. svc never sends payments unencrypted: use https.');
    }
    return addresses;
  };
  const addressesOf = async (name: string): Promise<readonly string[]> => check(await resolveName(name));
  if (isIP(host) !== 0) check([host]);
  else await addressesOf(host).catch((error: unknown) => refuseName(host, allowsRemote, error));
  return { url: url.href, addressesOf };
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) && /^[^\s\\\p{Cc}]+$/u.test(text) ? new URL(text) : null;
  if (url === null || !/^https?:\/\//i.test(text)) {
    const [, host = 'localhost', portAndPath = ''] =
      /^(localhost|127\.0\.0\.1)?:?([0-9]{1,5}(?:\/[\w./-]*)?)$/.exec(text) ?? [];
    const suggestion = `http://${host}:${portAndPath}`;
    const hint =
      portAndPath !== '' && URL.canParse(suggestion)
        ? `it needs http:// in front. Did you mean ${suggestion}?`
        : 'for example http://localhost:3000/hooks.';
    throw usageFailure(`--to must be a URL, ${hint}`);
  }
  if (url.username !== '' || url.password !== '' || url.hash !== '') {
    throw refusal('--to contains a user name, a password or a fragment. Remove it.');
  }
  return url;
}

function refuseName(host: string, allowsRemote: boolean, error: unknown): never {
  if (error instanceof Failure) throw error;
  if (!allowsRemote) {
    throw refusal(
      `svc cannot tell that --to is on this machine: ${host} has no address. If you mean another machine, add --allow-remote.`,
    );
  }
  const text = `The receiver's name ${host} has no address. Nothing was sent.`;
  throw new Failure('network', text, { retryable: true, cause: error });
}

function refusal(what: string): Failure {
  return new Failure('unsafe', `${what} Nothing was sent.`, { code: 'destination_refused' });
}
