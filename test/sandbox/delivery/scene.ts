/** A served sandbox on a clock that stands still, with a receiver that a test tells what to answer. */
import { onTestFinished } from 'vitest';
import type { AnsweredDelivery } from '../support/answered.js';
import { openServedWorld } from '../support/served-world.js';
import type { World, WorldOptions } from '../support/world.js';
import { receiver, until, type Reaction, type Received, type Receiver } from './receiver.js';

export const URL_ONE = 'http://127.0.0.1:9/one';
export const URL_TWO = 'http://127.0.0.1:9/two';

export interface Scene {
  readonly world: World;
  readonly post: Receiver;
  /** Registers a url and returns its secret. */
  readonly register: (url?: string, key?: string) => Promise<string>;
  readonly list: () => Promise<readonly AnsweredDelivery[]>;
  /** Waits until nothing is owed any more. */
  readonly settled: () => Promise<readonly AnsweredDelivery[]>;
  /** The key of a new company. */
  readonly company: (name: string) => Promise<string>;
}

export async function openScene(
  react?: (request: Received, before: number) => Reaction,
  settleAfterSeconds = 0,
  kept: Pick<WorldOptions, 'store' | 'seed'> = {},
): Promise<Scene> {
  const post = receiver(react);
  const world = await openServedWorld({
    allowHttpWebhooks: true,
    receivers: post.transport,
    settleAfterSeconds,
    ...kept,
  });
  // Before the server closes, which would wait for silent receivers on a clock that stands still.
  onTestFinished(post.die);
  const list: Scene['list'] = async () => (await world.control('GET', '/deliveries')).json.deliveries;
  return {
    world,
    post,
    list,
    register: async (url = URL_ONE, key = world.key) =>
      (await world.post('/v2/webhook-endpoints', { url }, { key })).json.secret,
    settled: async () => {
      let last: readonly AnsweredDelivery[] = [];
      await until(async () => {
        last = await list();
        return last.length > 0 && last.every(({ status }) => status !== 'pending');
      }, 'the end of every delivery');
      return last;
    },
    company: async (name) => (await world.control('POST', '/keys', { company: name })).json.api_key,
  };
}
