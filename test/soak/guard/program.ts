/** Programs without a rule of the policy. */
import { variant } from '../broken.js';

/** Believes a policy of anybody. */
export const CREDULOUS = variant(
  'credulous',
  'requireTrusted',
  ['stats.uid !== BigInt(ROOT)', 'false'],
  ['&& mayWrite(path)', '&& false'],
);
/** Takes a policy that it cannot read for none. */
export const CARELESS = variant('careless', 'judgeSending', ['?? refusedAsUnusable(state, sending)', '']);
/** Looks at its own environment alone. */
export const FORGETFUL = variant('forgetful', 'thisMachine', ["ancestorValues('SVC_LOCK')", '[]']);
