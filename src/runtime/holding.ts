/** What would keep a process that has nothing else to do, and shall not. */
import type { Server } from 'node:net';

/** From now on neither the server nor a connection to it keeps the process. */
export function unrefServer(server: Server): void {
  server.unref();
  server.on('connection', (socket) => socket.unref());
}
