/** The catalog as a caller reads it. */
import type { AnsweredMethod } from './answered.js';
import type { World } from './world.js';

/** Every method of every country of the capabilities, available or not. */
export async function everyMethod(world: World): Promise<readonly AnsweredMethod[]> {
  const { countries } = (await world.get('/v2/capabilities')).json;
  return countries.flatMap(({ payin_methods, payout_methods }) => [...payin_methods, ...payout_methods]);
}
