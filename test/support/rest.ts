/** False in the first tier. A file that asks runs in both: less of it there, or not the tests that start something, and all of it in the second. */
export const IS_REST = process.env['TIER'] !== 'quick';
