/** False in the first tier, where a test file runs only its cheap tests. */
export const IS_REST = process.env['TIER'] !== 'quick';
