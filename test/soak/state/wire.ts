/** A line to the database, or to the service, that swallows, cuts, waits or holds what it is told. */
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';

export interface Wire {
  readonly port: number;
  /** While it is true nothing passes in either direction, and nobody is told. */
  swallows: boolean;
  /** Asked of each answer that is longer than a word: it is cut, and both ends see a reset. */
  cuts: () => boolean;
  /** How long each piece takes in each direction. */
  delayMs: number;
  /** When the last piece left in the direction of the server, by the clock that measures. */
  readonly lastMs: () => number;
  /** How many answers were cut. */
  readonly count: () => number;
  /** Ends every connection that is open. */
  endAll(): void;
  /** Resolves when the answer to the next statement with this text has come; it is held back, for ever. */
  hold(text: string): Promise<void>;
  close(): Promise<void>;
}

/** Shorter ones end a connection or begin it. */
const ANSWER_BYTES = 60;

export async function wireTo(port: number): Promise<Wire> {
  const sockets = new Set<Socket>();
  let count = 0;
  let lastMs = -Infinity;
  let held: { readonly text: string; readonly reached: () => void } | null = null;
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1').setNoDelay();
    near.setNoDelay();
    let isHeld: (() => void) | null = null;
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        if (!wire.swallows) other.destroy();
      });
    }
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
  const wire: Wire = {
    port: (server.address() as { port: number }).port,
    swallows: false,
    cuts: () => false,
    delayMs: 0,
    lastMs: () => lastMs,
    count: () => count,
    endAll: () => {
      for (const socket of sockets) socket.destroy();
    },
    hold: (text) => new Promise((reached) => (held = { text, reached })),
    close: () => {
      wire.endAll();
      return new Promise((done) => server.close(() => done()));
    },
  };
  return wire;
}
