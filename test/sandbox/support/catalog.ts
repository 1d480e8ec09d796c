import type { MethodEntry } from '../../../src/contract/catalog.js';
import type { World } from './world.js';

export async function everyMethod(world: World): Promise<readonly MethodEntry[]> {
  const { countries } = (await world.get('/v2/capabilities')).json;
  return countries.flatMap(({ payin_methods, payout_methods }) => [...payin_methods, ...payout_methods]);
}
