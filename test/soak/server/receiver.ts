/** A receiver on loopback that refuses some deliveries, and lets one fall when it is told to. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Receiver {
  readonly url: string;
  /** The ids of the events that it answered 200. */
  readonly accepted: ReadonlySet<string>;
  readonly attempts: () => number;
  /** Resolves with the next delivery in hand, which is never answered. */
  readonly grasp: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** @param refuses asked for each delivery */
export async function openReceiver(refuses: () => boolean): Promise<Receiver> {
  const accepted = new Set<string>();
  let attempts = 0;
  let grasped: (() => void) | null = null;
  const server = createServer((message, response) => {
    message.resume().on('end', () => {
      attempts += 1;
      if (grasped !== null) {
        grasped();
        grasped = null;
        return;
      }
      if (refuses()) {
        response.writeHead(500).end();
        return;
      }
      accepted.add(String(message.headers['x-id-evento']));
      response.writeHead(200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`,
    accepted,
    attempts: () => attempts,
    grasp: () => new Promise((resolve) => (grasped = resolve)),
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
