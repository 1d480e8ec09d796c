/** Tests that may take hours run only in `npm run test:soak`. */
export const IS_SOAK = process.env['SOAK'] !== undefined;
