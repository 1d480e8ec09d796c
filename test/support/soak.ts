/** Whether a test may take hours: a file that asks does more in `npm run test:soak`. */
export const IS_SOAK = process.env['SOAK'] !== undefined;
