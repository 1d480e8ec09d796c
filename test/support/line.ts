/** A line to a server, on which answers and questions get lost as it is told: they are cut, swallowed or held back. */
import { connect, createServer, type Socket } from 'node:net';

const ANSWER_BYTES = 60;

export type Line = Awaited<ReturnType<typeof lineTo>>;

export async function lineTo(port: number) {
  const line = {
    /** While it is true nothing passes in either direction, and nobody is told. */
    swallows: false,
    /** Asked of each answer that is longer than a word: whether it is cut. */
    cuts: () => false,
  };
  const [answers, questions] = [nextOnes(), nextOnes()];
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
        if (!line.swallows) other.destroy();
      });
    }
    const reset = (): void => {
      count += 1;
      near.resetAndDestroy();
      far.destroy();
    };
    near.on('data', (data) => {
      if (line.swallows) return;
      if (held !== null && data.includes(held.text)) {
        isHeld = held.reached;
        held = null;
      }
      if (questions.isNext()) reset();
      else {
        lastMs = performance.now();
        far.write(data);
      }
    });
    far.on('data', (data) => {
      if (line.swallows) return;
      if (isHeld !== null) isHeld();
      else if (answers.isNext() || (data.length > ANSWER_BYTES && line.cuts())) reset();
      else near.write(data);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const endAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return Object.assign(line, {
    port: (server.address() as { port: number }).port,
    /** So many answers from now on never arrive: both ends see a reset. @param after how many arrive before */
    cut: answers.take,
    /** The same of questions. */
    swallow: questions.take,
    /** How many were lost so. */
    count: () => count,
    /** When the last question left, by the clock that measures. */
    lastMs: () => lastMs,
    /** Resolves when the answer to the next statement with this text has come; it is held back, for ever. */
    hold: (text: string): Promise<void> => new Promise((reached) => (held = { text, reached })),
    endAll,
    stop: (): Promise<void> => {
      endAll();
      return new Promise((done) => server.close(() => done()));
    },
  });
}

function nextOnes() {
  let [left, before] = [0, 0];
  return {
    take: (count: number, after = 0) => void ([left, before] = [count, after]),
    isNext: (): boolean => {
      const isIt = left > 0 && before <= 0;
      before -= 1;
      if (isIt) left -= 1;
      return isIt;
    },
  };
}
