import { onTestFinished } from 'vitest';
import type { AnsweredDelivery } from '../support/answered.js';
import { openServedWorld } from '../support/served-world.js';
import type { WorldOptions } from '../support/world.js';
import { receiver, until, type Reaction, type Received } from './receiver.js';

export const URL_ONE = 'http://127.0.0.1:9/one';
export const URL_TWO = 'http://127.0.0.1:9/two';

export type Scene = Awaited<ReturnType<typeof openScene>>;

export async function openScene(
  react?: (request: Received, before: number) => Reaction,
  settleAfterSeconds = 0,
  kept: Pick<WorldOptions, 'store' | 'seed'> = {},
) {
  const post = receiver(react);
  const options = { allowHttpWebhooks: true, receivers: post.transport, settleAfterSeconds };
  const world = await openServedWorld({ ...options, ...kept });
  onTestFinished(post.die);
  const list = async (): Promise<readonly AnsweredDelivery[]> =>
    (await world.control('GET', '/deliveries')).json.deliveries;
  return {
    world,
    post,
    list,
    register: async (url = URL_ONE, key = world.key): Promise<string> =>
      (await world.post('/v2/webhook-endpoints', { url }, { key })).json.secret,
    settled: async (): Promise<readonly AnsweredDelivery[]> => {
      let last: readonly AnsweredDelivery[] = [];
      await until(async () => {
        last = await list();
        return last.length > 0 && last.every(({ status }) => status !== 'pending');
      }, 'the end of every delivery');
      return last;
    },
    company: async (name: string): Promise<string> =>
      (await world.control('POST', '/keys', { company: name })).json.api_key,
  };
}
