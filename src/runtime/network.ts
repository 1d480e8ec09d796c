/** The port to the network of this machine: how far away an address is, which addresses a name has, and servers that keep no process. */
import { BlockList, isIP, type Server } from 'node:net';

/** `forbidden`: private, link-local (where clouds keep their metadata), shared, multicast, reserved, or no address at all. */
export type Reach = 'loopback' | 'public' | 'forbidden';

const LOOPBACK = blockList([
  ['127.0.0.0', 8, 'ipv4'],
  ['::1', 128, 'ipv6'],
]);

const FORBIDDEN = blockList([
  ['0.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.0.0.0', 24, 'ipv4'],
  ['192.0.2.0', 24, 'ipv4'],
  ['192.88.99.0', 24, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['198.18.0.0', 15, 'ipv4'],
  ['198.51.100.0', 24, 'ipv4'],
  ['203.0.113.0', 24, 'ipv4'],
  ['224.0.0.0', 3, 'ipv4'],
  // Of IPv6 only global unicast is public, without the parts of it that wrap an IPv4 address or document something.
  ['2001::', 23, 'ipv6'],
  ['2001:db8::', 32, 'ipv6'],
  ['2002::', 16, 'ipv6'],
  ['3fff::', 20, 'ipv6'],
]);
const GLOBAL_UNICAST = blockList([['2000::', 3, 'ipv6']]);
const MAPPED = /^::ffff:(?:(\d+\.\d+\.\d+\.\d+)|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/i;

/** @param address without brackets */
export function reachOf(address: string): Reach {
  const ip = unmapped(address.split('%', 1)[0] ?? '');
  const version = isIP(ip);
  if (version === 0) return 'forbidden';
  const family = version === 4 ? 'ipv4' : 'ipv6';
  if (LOOPBACK.check(ip, family)) return 'loopback';
  if (FORBIDDEN.check(ip, family)) return 'forbidden';
  return family === 'ipv4' || GLOBAL_UNICAST.check(ip, family) ? 'public' : 'forbidden';
}

/** An IPv4 address inside an IPv6 one is judged as what it is. */
function unmapped(ip: string): string {
  const [, dotted, high, low] = MAPPED.exec(ip) ?? [];
  if (dotted !== undefined) return dotted;
  if (high === undefined || low === undefined) return ip;
  const bits = (Number.parseInt(high, 16) << 16) | Number.parseInt(low, 16);
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 0xff).join('.');
}

function blockList(subnets: readonly (readonly [string, number, 'ipv4' | 'ipv6'])[]): BlockList {
  const list = new BlockList();
  for (const [net, prefix, family] of subnets) list.addSubnet(net, prefix, family);
  return list;
}

/** All addresses, in the order in which the system prefers them. @throws the system's error where there is none */
export type ResolveName = (name: string) => Promise<readonly string[]>;

/** What it takes is loaded when it is asked for. */
export const systemNames: ResolveName = async (name) => {
  const { lookup } = process.getBuiltinModule('node:dns/promises');
  return (await lookup(name, { all: true })).map(({ address }) => address);
};

/** From now on neither the server nor a connection to it keeps the process. */
export function unrefServer(server: Server): void {
  server.unref();
  server.on('connection', (socket) => socket.unref());
}
