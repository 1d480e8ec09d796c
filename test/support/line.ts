/** A proxy before a server: it cuts, swallows or holds back answers as a test asks. */
import { connect, createServer, type Socket } from 'node:net';

const ANSWER_BYTES = 60;

export type Line = Awaited<ReturnType<typeof lineTo>>;

export async function lineTo(port: number) {
  const line = {
    swallows: false,
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
    cut: answers.take,
    swallow: questions.take,
    count: () => count,
    lastMs: () => lastMs,
    /** Resolves when the answer to the next statement with this text has come. The answer is held back for ever. */
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
