import { connect, createServer } from 'node:net';

const [port, delayMs] = process.argv.slice(2).map(Number);

const server = createServer((near) => {
  const far = connect(port ?? 0, '127.0.0.1').setNoDelay();
  near.setNoDelay();
  for (const [socket, other] of /** @type {const} */ ([
    [near, far],
    [far, near],
  ])) {
    socket.on('error', () => undefined);
    socket.on('close', () => other.destroy());
    socket.on('data', (data) => setTimeout(() => other.destroyed || other.write(data), delayMs));
  }
});
server.listen(0, '127.0.0.1', () => {
  const { port: own } = /** @type {import('node:net').AddressInfo} */ (server.address());
  console.log(own);
});
