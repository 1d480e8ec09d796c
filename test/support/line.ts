/** A line to a server that can be cut in the moment in which an answer comes. */
import { connect, createServer, type Socket } from 'node:net';

export type Line = Awaited<ReturnType<typeof lineTo>>;

export async function lineTo(port: number) {
  const sockets = new Set<Socket>();
  let [left, skipped, cuts] = [0, 0, 0];
  let [unheard, heard] = [0, 0];
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    const end = (): void => {
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', end).on('close', end);
    }
    near.on('data', (data) => {
      const isSwallowed = unheard > 0 && heard <= 0;
      heard -= 1;
      if (!isSwallowed) return void far.write(data);
      unheard -= 1;
      cuts += 1;
      near.resetAndDestroy();
      far.destroy();
    });
    far.on('data', (data) => {
      const isCut = left > 0 && skipped <= 0;
      skipped -= 1;
      if (!isCut) return void near.write(data);
      left -= 1;
      cuts += 1;
      near.resetAndDestroy();
      far.destroy();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    port: (server.address() as { port: number }).port,
    /** So many answers from now on never arrive: both ends see a reset. @param after how many arrive before */
    cut: (count: number, after = 0) => void ([left, skipped] = [count, after]),
    /** So many questions from now on never arrive. @param after how many arrive before */
    swallow: (count: number, after = 0) => void ([unheard, heard] = [count, after]),
    /** How many were cut, or swallowed. */
    cuts: () => cuts,
    stop: (): Promise<void> => {
      for (const socket of sockets) socket.destroy();
      return new Promise((done) => server.close(() => done()));
    },
  };
}
