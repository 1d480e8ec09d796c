/** For tests that start something in a file whose others do not: that file runs in both tiers, and they in the second. */
export const IS_REST = process.env['TIER'] !== 'quick';
