/** A receiver on loopback that refuses some deliveries, and lets one fall when it is told to. */
import { serving } from '../../support/serving.js';

export type Receiver = Awaited<ReturnType<typeof openReceiver>>;

/** @param refuses asked for each delivery */
export async function openReceiver(refuses: () => boolean) {
  const accepted = new Set<string>();
  let attempts = 0;
  let grasped: (() => void) | null = null;
  const { url, stop } = await serving(({ headers }, response) => {
    attempts += 1;
    if (grasped !== null) {
      grasped();
      grasped = null;
    } else if (refuses()) response.writeHead(500).end();
    else {
      accepted.add(String(headers['x-id-evento']));
      response.writeHead(200).end();
    }
  });
  return {
    url: `${url}/`,
    /** The ids of the events that it answered 200. */
    accepted: accepted as ReadonlySet<string>,
    attempts: () => attempts,
    /** Resolves with the next delivery in hand, which is never answered. */
    grasp: (): Promise<void> => new Promise((resolve) => (grasped = resolve)),
    close: stop,
  };
}
