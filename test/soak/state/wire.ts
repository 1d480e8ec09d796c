/** A line to the database, or to the service, that swallows, cuts, waits or holds what it is told. */
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/** Shorter ones end a connection or begin it. */
const ANSWER_BYTES = 60;

export type Wire = Awaited<ReturnType<typeof wireTo>>;

export async function wireTo(port: number) {
  const wire = {
    /** While it is true nothing passes in either direction, and nobody is told. */
    swallows: false,
    /** Asked of each answer that is longer than a word: it is cut, and both ends see a reset. */
    cuts: () => false,
    /** How long each piece takes in each direction. */
    delayMs: 0,
  };
  const sockets = new Set<Socket>();
  let count = 0;
  let lastMs = -Infinity;
  let held: { readonly text: string; readonly reached: () => void } | null = null;
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1').setNoDelay();
    near.setNoDelay();
    let isHeld: (() => void) | null = null;
    const join = (socket: Socket, other: Socket): void => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        if (!wire.swallows) other.destroy();
      });
    };
    join(near, far);
    join(far, near);
    const pass = async (to: Socket, data: Buffer): Promise<void> => {
      if (wire.delayMs > 0) await setTimeout(wire.delayMs);
      if (!to.destroyed) to.write(data);
    };
    near.on('data', (data) => {
      if (wire.swallows) return;
      if (held !== null && data.includes(held.text)) {
        isHeld = held.reached;
        held = null;
      }
      lastMs = performance.now();
      void pass(far, data);
    });
    far.on('data', (data) => {
      if (wire.swallows) return;
      if (isHeld !== null) {
        isHeld();
        return;
      }
      if (data.length <= ANSWER_BYTES || !wire.cuts()) return void pass(near, data);
      count += 1;
      near.resetAndDestroy();
      far.destroy();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const endAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return Object.assign(wire, {
    port: (server.address() as { port: number }).port,
    /** When the last piece left in the direction of the server, by the clock that measures. */
    lastMs: () => lastMs,
    /** How many answers were cut. */
    count: () => count,
    /** Ends every connection that is open. */
    endAll,
    /** Resolves when the answer to the next statement with this text has come; it is held back, for ever. */
    hold: (text: string): Promise<void> => new Promise((reached) => (held = { text, reached })),
    close: (): Promise<void> => {
      endAll();
      return new Promise((done) => server.close(() => done()));
    },
  });
}
