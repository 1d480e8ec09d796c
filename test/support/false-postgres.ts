/** A false PostgreSQL server, which asks every client for a password and keeps every byte that it receives. */
import { once } from 'node:events';
import { createServer } from 'node:net';

const SALT = Buffer.from('salt');
const ASKS = {
  cleartext: [3],
  md5: [5, SALT],
  scram: [10, Buffer.from('SCRAM-SHA-256\0\0')],
  kerberos: [2],
  gss: [7],
  sspi: [9],
  none: [77],
  otherSasl: [10, Buffer.from('FOO\0\0')],
  final: [12, Buffer.from('v=AAAA')],
  letIn: [0],
} as const;
export type Asked = keyof typeof ASKS;

export type FalsePostgres = Awaited<ReturnType<typeof falsePostgres>>;

export const GONE = Buffer.from('E\0\0\0\x13SFATAL\0C57P01\0\0', 'latin1');

export async function falsePostgres(steps: readonly (readonly Asked[])[], last = Buffer.alloc(0)) {
  const told: { readonly letter: string; readonly text: string }[] = [];
  const server = createServer((socket) => {
    let [hasBegun, at] = [false, 0];
    let gathered: Buffer = Buffer.alloc(0);
    const ask = (): void => {
      const step = steps[at] ?? [];
      at += 1;
      socket.write(Buffer.concat(step.map((name) => authentication(ASKS[name]))));
      if (step.includes('letIn')) socket.write(Buffer.concat([Buffer.from('5a0000000549', 'hex'), last]));
    };
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      gathered = Buffer.concat([gathered, chunk]);
      for (;;) {
        const head = hasBegun ? 1 : 0;
        if (gathered.length < head + 4) return;
        const length = head + gathered.readInt32BE(head);
        if (gathered.length < length) return;
        const message = gathered.subarray(0, length);
        gathered = gathered.subarray(length);
        if (hasBegun)
          told.push({ letter: message.toString('latin1', 0, 1), text: message.toString('latin1', 5) });
        hasBegun = true;
        ask();
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const close = async (): Promise<void> => {
    server.close();
    await once(server, 'close');
  };
  return { port, told, close };
}

function authentication([kind, more = Buffer.alloc(0)]: readonly [number, Buffer?]): Buffer {
  const bytes = Buffer.alloc(9 + more.length);
  bytes.write('R', 0, 'latin1');
  bytes.writeInt32BE(8 + more.length, 1);
  bytes.writeInt32BE(kind, 5);
  more.copy(bytes, 9);
  return bytes;
}
