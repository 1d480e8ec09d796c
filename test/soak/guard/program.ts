import { variant } from '../broken.js';

export const CREDULOUS = variant(
  'credulous',
  'requireTrusted',
  ['stats.uid !== BigInt(ROOT)', 'false'],
  ['&& mayWrite(path)', '&& false'],
);
export const CARELESS = variant('careless', 'judgeSending', ['?? checkPolicyState(state, sending)', '']);
export const FORGETFUL = variant('forgetful', 'thisMachine', ["ancestorValues('SVC_LOCK')", '[]']);
