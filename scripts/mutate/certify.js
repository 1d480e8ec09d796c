/** Mistakes in judging somebody's code: a fault that is passed, and a right one that is failed. */
import { inRoom } from './mutant.js';

const seen = inRoom('certify', 'certify/seen');

export const certify = [
  seen('isLeftOpen', 'a 503 is taken for a refusal', ['told.status >= 500', 'told.status > 503']),
];
