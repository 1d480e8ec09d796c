import type { AnsweredMethod } from './answered.js';
import type { World } from './world.js';

export async function everyMethod(world: World): Promise<readonly AnsweredMethod[]> {
  const { countries } = (await world.get('/v2/capabilities')).json;
  return countries.flatMap(({ payin_methods, payout_methods }) => [...payin_methods, ...payout_methods]);
}
