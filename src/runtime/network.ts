import { BlockList, isIP, type Server } from 'node:net';

const LOOPBACK = blockList('127.0.0.0/8 ::1/128');
const FORBIDDEN_ADDRESSES = blockList(
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 ' +
    '192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3 ' +
    '2001::/23 2001:db8::/32 2002::/16 3fff::/20',
);
const GLOBAL_UNICAST = blockList('2000::/3');
const MAPPED_IPV4 = /^::ffff:(?:(\d+\.\d+\.\d+\.\d+)|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/i;

export function classifyAddress(address: string): 'loopback' | 'public' | 'forbidden' {
  const ip = withoutMapping(address.split('%', 1)[0] ?? '');
  const version = isIP(ip);
  if (version === 0) return 'forbidden';
  const family = version === 4 ? 'ipv4' : 'ipv6';
  if (LOOPBACK.check(ip, family)) return 'loopback';
  if (FORBIDDEN_ADDRESSES.check(ip, family)) return 'forbidden';
  return family === 'ipv4' || GLOBAL_UNICAST.check(ip, family) ? 'public' : 'forbidden';
}

function withoutMapping(ip: string): string {
  const [, dotted, high, low] = MAPPED_IPV4.exec(ip) ?? [];
  if (dotted !== undefined) return dotted;
  if (high === undefined || low === undefined) return ip;
  const bits = (Number.parseInt(high, 16) << 16) | Number.parseInt(low, 16);
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 0xff).join('.');
}

function blockList(subnets: string): BlockList {
  const list = new BlockList();
  for (const subnet of subnets.split(' ')) {
    const [net = '', prefix] = subnet.split('/');
    list.addSubnet(net, Number(prefix), net.includes(':') ? 'ipv6' : 'ipv4');
  }
  return list;
}

export type ResolveName = (name: string) => Promise<readonly string[]>;

export const resolveSystemName: ResolveName = async (name) => {
  const { lookup } = process.getBuiltinModule('node:dns/promises');
  return (await lookup(name, { all: true })).map(({ address }) => address);
};

const UNKNOWN_AUTHORITY = 'the certificate of % comes from an authority that this machine does not know';

/** `%` stands for the other side of the connection, and `#` for the error code. */
const CONNECTION_TEXTS: readonly (readonly [RegExp, string])[] = [
  [/^ENOTFOUND$/, 'no name server knows %'],
  [/^EAI_/, 'no name server answered for %'],
  [/^ECONNREFUSED$/, 'no program listens at %'],
  [/^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, '% did not answer in time'],
  [/^E(HOST|NET)UNREACH$/, 'this machine has no way to %'],
  [/^ECONNRESET$/, '% cut the connection'],
  [/^(UNABLE_TO_(GET_ISSUER|VERIFY)|SELF_SIGNED|DEPTH_ZERO|CERT_UNTRUSTED)/, UNKNOWN_AUTHORITY],
  [/^CERT_HAS_EXPIRED$/, 'the certificate of % has expired'],
  [/^CERT_NOT_YET_VALID$/, 'the certificate of % is not valid yet, or the clock of this machine is slow'],
  [/ALTNAME_INVALID$|^HOSTNAME_MISMATCH$/, 'the certificate of % is for another name'],
  [/^(CERT|CRL|UNABLE_TO)_|^INVALID_|_IN_CERT/, 'the certificate of % is not valid (#)'],
  [/WRONG.VERSION.NUMBER|UNEXPECTED.MESSAGE|PACKET.LENGTH|RECORD.TYPE|HTTP.REQUEST/i, '% does not speak TLS'],
  [/PROTOCOL.VERSION|UNSUPPORTED.PROTOCOL/i, '% speaks only TLS older than 1.2'],
  [/SSL|TLS|EPROTO/i, 'the TLS handshake with % failed (#)'],
];

export function connectionText(error: Error, peer: string, trustAdvice = ''): string {
  const firstError = error instanceof AggregateError ? (error.errors[0] as Error) : error;
  type SystemError = Error & Partial<Record<'code' | 'hostname' | 'address', string>> & { port?: number };
  const { code = '', hostname, address, port } = firstError as SystemError;
  const reason = code === 'EPROTO' ? firstError.message : code;
  const text = CONNECTION_TEXTS.find(([pattern]) => pattern.test(reason))?.[1];
  if (text === undefined) return firstError.message || code;
  const otherSide =
    address === undefined ? (hostname ?? peer) : `${isIP(address) === 6 ? `[${address}]` : address}:${port}`;
  const result = text.replace('%', () => otherSide).replace('#', () => code);
  return text === UNKNOWN_AUTHORITY ? result + trustAdvice : result;
}

export function unrefServer(server: Server): void {
  server.unref();
  server.on('connection', (socket) => socket.unref());
}
